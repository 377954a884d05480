// Package program holds what every verb of the command line gets: the streams, the environment, what starts
// executors, and the tables of runtimes, components and formats. Tests use executors and rows of their own. The package knows no verb.
package program

import (
	"os"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/invocations/environ"
)

// Program is a zonemark program as a value. It does not change.
type Program struct {
	cli.Streams
	Variables  environ.Variables // of the environment in which the program was started
	Executors  hosting.Starters  // start what measures and builds on this machine
	Runtimes   runtimes.Table
	Components setup.Components
	Formats    report.FormatTable
}

// Standard returns zonemark as it is shipped, in the environment and with the streams of this process.
func Standard() Program {
	return Program{
		Streams:   cli.Streams{Out: os.Stdout, Err: os.Stderr},
		Variables: environ.OfProcess(), Executors: hosting.Processes{},
		Runtimes: runtimes.All(), Components: setup.All(), Formats: report.Formats(),
	}
}

// Cache returns zonemark's cache.
func (p Program) Cache() cachedir.Cache { return cachedir.Of(p.Variables) }
