package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
)

// executorVerb names the hidden verb that the driver starts.
const executorVerb = "executor"

// executorCommand serves as an executor.
func executorCommand(_ context.Context, p program.Program, args []string) int {
	return hosting.Serve(p.Streams, args, p.Runtimes.Executors(p.Variables.Lookup), p.Runtimes.OptionsByName())
}
