package pjrt

import (
	"unsafe"

	"zonemark/executor/dl"
)

// prepared is a call of a function with an argument struct that stays at its address. The arguments of the call are
// listed once, so that a call allocates nothing, because no garbage is collected during a measurement. A prepared call
// does not keep the struct alive: its holder must.
type prepared struct {
	plugin   *Plugin
	function function
	words    []uintptr
}

func (p *Plugin) prepare(f function, args unsafe.Pointer) (prepared, error) {
	if !p.has(f) {
		return prepared{}, p.absent(f)
	}
	return prepared{p, f, []uintptr{uintptr(args)}}, nil
}

func (c *prepared) call() error {
	if failed := dl.Call(c.plugin.functions[c.function.index], c.words...); failed != 0 {
		return c.plugin.failure(c.function, failed)
	}
	return nil
}
