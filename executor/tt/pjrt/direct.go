package pjrt

import (
	"errors"
	"unsafe"
)

// Direct is an execution as a fixed sequence of calls of C functions, for a timing loop that makes them without Go in
// between: execute, wait until the result is ready, free the event, free the result. This is possible because the
// plugin writes the handles of event and result right into the argument structs of the later calls, or a step copies
// them there. Therefore it works for programs of at most one result on one device.
type Direct struct {
	plugin    *Plugin
	args      executeArgs
	options   executeOptions
	arguments []uintptr
	lists     [2]unsafe.Pointer
	kept      []int64
	event     handleArgs
	result    readyEventArgs // also those of destroying the result
	steps     []Step
}

// Step is one call: a function of one or two words that returns 0 or an error of the plugin.
type Step struct {
	Function, Argument, Second uintptr
	name                       function
}

// ErrNotDirect reports a program whose execution is not a fixed sequence of calls.
var ErrNotDirect = errors.New("a program of several results or devices, or a plugin that has not waited for an event " +
	"before, takes calls that depend on each other")

// NewDirect prepares the sequence for arguments on one device, which no run changes. The error is ErrNotDirect if there
// is no such sequence. That is so, too, as long as no event of the plugin was waited for, since some plugins cannot.
// copyWord is the function of a step that copies a word, see native.CopyEntry.
func (e *Executable) NewDirect(arguments []Buffer, copyWord uintptr) (*Direct, error) {
	p := e.client.plugin
	if e.outputs > 1 || !p.awaiting.yes.Load() {
		return nil, ErrNotDirect
	}
	d := &Direct{
		plugin: p, options: executeOptions{base: sized[executeOptions]()},
		event: handleArgs{base: sized[handleArgs]()}, result: readyEventArgs{base: sized[readyEventArgs]()},
	}
	for i, b := range arguments {
		d.arguments = append(d.arguments, b.handle)
		d.kept = append(d.kept, int64(i))
	}
	d.arguments, d.kept = append(d.arguments, 0), append(d.kept, 0) // so that empty lists have addresses, too
	d.options.nonDonatable, d.options.nonDonatableCount = unsafe.Pointer(&d.kept[0]), uintptr(len(arguments))
	d.lists = [2]unsafe.Pointer{unsafe.Pointer(&d.arguments[0]), unsafe.Pointer(&d.result.buffer)}
	d.args = executeArgs{
		base: sized[executeArgs](), executable: e.loaded, options: unsafe.Pointer(&d.options),
		argumentLists: unsafe.Pointer(&d.lists[0]), devices: 1, arguments: uintptr(len(arguments)),
		outputLists: unsafe.Pointer(&d.lists[1]),
	}
	tells, err := p.tellsReady(arguments)
	if err != nil {
		return nil, err
	}
	d.add(loadedExecutableExecute, unsafe.Pointer(&d.args))
	if tells && e.outputs == 1 {
		d.add(bufferReadyEvent, unsafe.Pointer(&d.result))
		d.steps = append(d.steps, Step{Function: copyWord, Argument: uintptr(unsafe.Pointer(&d.result.event)),
			Second: uintptr(unsafe.Pointer(&d.event.handle))})
	} else {
		d.args.events = unsafe.Pointer(&d.event.handle)
	}
	d.add(eventAwait, unsafe.Pointer(&d.event))
	d.add(eventDestroy, unsafe.Pointer(&d.event))
	if e.outputs == 1 {
		d.add(bufferDestroy, unsafe.Pointer(&d.result))
	}
	for _, s := range d.steps {
		if s.Function == 0 {
			return nil, p.absent(s.name)
		}
	}
	return d, nil
}

// tellsReady reports whether the plugin tells when a buffer is ready. If that is unknown, it asks for an argument. The
// error is ErrNotDirect if there is none.
func (p *Plugin) tellsReady(arguments []Buffer) (bool, error) {
	if !p.has(bufferReadyEvent) || p.readiness.no.Load() {
		return false, nil
	}
	if p.readiness.yes.Load() {
		return true, nil
	}
	if len(arguments) == 0 {
		return false, ErrNotDirect
	}
	events, err := p.waiting()
	if err != nil {
		return false, err
	}
	if err := p.waitingForResults().each(arguments[0].handle, events); err != nil {
		return false, err
	}
	return p.readiness.yes.Load(), nil
}

func (d *Direct) add(f function, args unsafe.Pointer) {
	s := Step{Argument: uintptr(args), name: f}
	if d.plugin.has(f) {
		s.Function = d.plugin.functions[f.index]
	}
	d.steps = append(d.steps, s)
}

// Steps returns the calls of one run. They are valid as long as d is reachable.
func (d *Direct) Steps() []Step { return d.steps }

// Failure returns the error that a step returned. The later steps of that run must not be called. Which step failed is
// unknown, so nothing of the run is freed until the client is.
func (d *Direct) Failure(returned uintptr) error {
	return d.plugin.failure(loadedExecutableExecute, returned)
}
