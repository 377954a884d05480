package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
)

// executorCommand is the hidden verb that the driver starts.
func executorCommand(ctx context.Context, p program.Program, args []string) int {
	return hosting.Serve(ctx, p.Streams, args, p.Runtimes.Executors(p.Variables.Lookup))
}
