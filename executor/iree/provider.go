package iree

import (
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/native"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// provider is IREE's runtime in one of the forms in which it is installed: a library with the C API, or the Python
// bindings of the wheels.
type provider interface {
	name() string
	// unusable returns why the provider cannot run modules here on devices of a driver, and what to do about it. It is
	// nil if it can, or if that is found only when a module is opened.
	unusable(driver string) error
	// open loads the module at file on the device that the options ask for. It shares the device of a session that has
	// the same one. Errors do not name the module.
	open(file string, options map[string]string, beside ...session) (session, error)
	// chain makes calls that send samples through functions of sessions of the provider, which are at work at the same
	// time. Of each function, moves are what it takes of the one before. The functions must be closed after the chain.
	chain(samples int64, stages []*bound, moves [][]move) (*bound, error)
}

// move is a result of a function and the input of another one that takes it.
type move struct {
	Result int `json:"result"`
	Input  int `json:"input"`
}

// providers returns the ways of running a module, the preferred one first.
func (in Installation) providers() []provider {
	return []provider{capiProvider{in.CAPI}, pythonProvider{in}}
}

// session is a module loaded on a device.
type session interface {
	// bind prepares calls of a function on inputs, which it copies to the device.
	bind(function string, inputs []tensor.Tensor) (*bound, error)
	// tracyClient returns the client of the loaded runtime, or nil if it has none.
	tracyClient() *tracy.Client
	close() error
}

// bound is a function with its inputs on the device: the calls that every runtime makes, and what this one has beside
// them.
type bound struct {
	calls
	// direct is the call as native code. Nil: calls go through Go.
	direct *direct
	// profile makes calls whose dispatches the runtime itself measures. Nil: it does not.
	profile func(calls int64) (invocations.Profile, error)
}

// calls are the calls of a function with its inputs on the device.
type calls interface {
	// invoke calls the function once and waits until it ends. It releases the results of the previous call.
	invoke() error
	// outputs copies the results of the last call from the device.
	outputs() ([]tensor.Tensor, error)
	close()
}

// direct is a call that the timing loop makes through native.LatchEntry.
type direct struct {
	frame native.Frame
	lines []native.Range // memory of the inputs
	// failed returns the error of a call since it was asked last.
	failed func() error
}

// workload returns what calls a function with sets of inputs, one after the other, on a thread.
func workload(sets []*bound, next func() *bound, thread executor.OnThread) executor.Workload {
	function := &executor.Function{OnThread: thread, Invoke: func() error { return next().invoke() }}
	work := &executor.Native{OnThread: thread, Entry: native.LatchEntry()}
	for _, b := range sets {
		if b.direct == nil {
			return function
		}
		work.Frames = append(work.Frames, b.direct.frame)
	}
	work.Lines = sets[0].direct.lines
	work.Failed = func() error {
		for _, b := range sets {
			if err := b.direct.failed(); err != nil {
				return err
			}
		}
		return nil
	}
	return work
}
