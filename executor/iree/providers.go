package iree

import (
	"context"
	"errors"

	"zonemark/executor"
)

// providers lists the ways of running a module, the preferred one first.
func (in Installation) providers() []provider {
	return []provider{newCAPIProvider(in), newDispatchProvider(in)}
}

// compileModule makes a .vmfb of MLIR.
func (in Installation) compileModule(ctx context.Context, path string, o executor.DescribeOptions) (vmfb string, err error) {
	return "", errors.New("this zonemark was built without IREE's compiler; compile the module with iree-compile and name the .vmfb")
}
