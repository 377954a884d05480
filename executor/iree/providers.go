package iree

import (
	"context"

	"zonemark/executor"
)

// providers returns the ways of running a module, the preferred one first.
func (in Installation) providers() []provider {
	return []provider{newCAPIProvider(in), newPythonProvider(in), newDispatchProvider(in)}
}

// compileModule compiles MLIR to a .vmfb.
func (in Installation) compileModule(
	ctx context.Context, path string, o executor.DescribeOptions,
) (vmfb string, err error) {
	return compile(ctx, path, o, in)
}
