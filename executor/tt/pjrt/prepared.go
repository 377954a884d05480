package pjrt

import (
	"errors"
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
	if failed := dl.Call(c.plugin.functions[c.function], c.words...); failed != 0 {
		return c.plugin.failure(c.function, failed)
	}
	return nil
}

// object makes prepared calls with objects that are created and destroyed, such as the events of runs.
type object struct {
	args  *handleArgs
	calls []prepared
}

// onObject prepares calls of the functions, one after the other.
func (p *Plugin) onObject(functions ...function) (object, error) {
	o := object{args: &handleArgs{base: sized[handleArgs]()}}
	for _, f := range functions {
		c, err := p.prepare(f, unsafe.Pointer(o.args))
		if err != nil {
			return o, err
		}
		o.calls = append(o.calls, c)
	}
	return o, nil
}

// each makes all calls with an object. A handle of 0 is no object. It allocates nothing unless a call fails.
func (o *object) each(handle uintptr) (failed error) {
	if handle == 0 {
		return nil
	}
	o.args.handle = handle
	for i := range o.calls {
		if err := o.calls[i].call(); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
