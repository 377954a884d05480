package iree

import (
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// session is a module loaded on a device in one of the ways of running it: the C API, libpython, or only its dispatch
// libraries.
type session interface {
	// bind prepares calls of a function on inputs, which it copies to the device.
	bind(function string, inputs []tensor.Tensor) (bound, error)
	// tracyClient returns the client of the loaded runtime, or nil if it has none.
	tracyClient() *tracy.Client
	close() error
}

// bound is a function with its inputs on the device.
type bound interface {
	// invoke calls the function once and waits until it ends. It releases the results of the previous call.
	invoke() error
	// outputs copies the results of the last invoke from the device.
	outputs() ([]tensor.Tensor, error)
	close()
}

// profiler is implemented by a bound function whose runtime measures its dispatches itself.
type profiler interface {
	profile(calls int64) (invocations.Profile, error)
}

// framed is implemented by a bound function that is native code, which the assembly loop calls directly. It is then not
// invoked to be measured.
type framed interface {
	// frame sets Entry and Frames and, if they apply, Lines, Failed and CallsPerInvocation.
	frame(work *executor.Native) error
}

// provider opens modules in one way.
type provider interface {
	name() string
	// missing returns why this way cannot be used here and what to do about it, or nil if it can.
	missing() error
	// lacks returns why this way, which is not missing, cannot use a driver for devices, or nil if it can or if that is
	// found only when a module is opened.
	lacks(driver string) error
	open(artifact invocations.Artifact) (session, error)
}
