package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
)

// executorCommand is the hidden verb that the driver starts.
func executorCommand(ctx context.Context, s cli.Streams, args []string) int {
	return hosting.Serve(ctx, s, args, executorRuntimes())
}
