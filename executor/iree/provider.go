package iree

import (
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// session is a module loaded on a device by one of the ways of running it: the C API, libpython, or its dispatch libraries alone.
type session interface {
	// bind prepares calls of a function on inputs, which it copies to the device.
	bind(function string, inputs []tensor.Tensor) (bound, error)
	// tracyClient is the client of the loaded runtime, nil where it has none.
	tracyClient() *tracy.Client
	close() error
}

// bound is a function with its inputs on the device.
type bound interface {
	// invoke calls the function once and waits for its end. The results of the call before are released.
	invoke() error
	// outputs copies the results of the last invoke from the device.
	outputs() ([]tensor.Tensor, error)
	close()
}

// profiler is implemented by a bound function whose runtime measures its dispatches itself.
type profiler interface {
	profile(calls int64) (invocations.Profile, error)
}

// framed is implemented by a bound function that is native code to be called directly, by the assembly loop; it is then not invoked to be measured.
type framed interface {
	frame(call *executor.Call) error // sets Entry and Frames, and where they apply Lines, Failed and CallsPerInvocation
}

// provider opens modules in one way.
type provider interface {
	name() string
	// missing says why this way cannot be had here and what to do about it; nil when it can.
	missing() error
	open(artifact invocations.Artifact) (session, error)
}
