package pjrt

import (
	"errors"
	"unsafe"

	"zonemark/executor/dl"
)

// prepared is a call of a function on an argument struct that stays where it is, listed once so that making it
// allocates nothing: no garbage is collected while a program is measured. Whoever holds it holds the struct too.
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

// object makes prepared calls on objects that come and go, such as the events of runs.
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

// each makes all calls on an object; 0 is none. Nothing is allocated while nothing fails.
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

// waiting prepares waiting for events and destroying them; the error of a wait is that of what the event stands for.
func (p *Plugin) waiting() (object, error) { return p.onObject(eventAwait, eventDestroy) }
