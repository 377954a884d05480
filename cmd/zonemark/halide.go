package main

import (
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/halidebench"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/tuning"
)

// halideFamily is what "zonemark halide" can do, in the order of the help text.
func halideFamily() program.Family {
	return program.Family{
		Name: "halide",
		Intro: `Build and measure Halide pipelines from their generators, and tune their schedules.

Usage: zonemark halide VERB [flags] BENCHMARK…
`,
		Verbs: []program.Verb{{
			Name: "run", Summary: "build, check and measure benchmarks with several schedules, and compare these",
			Run: halidebench.Run,
		}, {
			Name: "pretrain", Summary: "tune the autoscheduler for pipelines and this machine, and keep the best schedules",
			Run: tuning.Run,
		}, {
			Name: "autotune", Run: tuning.Run, // the older name
		}},
		End: `
"zonemark halide run --list" shows the benchmarks, and "zonemark halide VERB --help" the flags of a verb. Halide is
installed on first use. "zonemark run" measures single generators and libraries.
`,
		Instead: halideInstead,
	}
}

// halideInstead returns the error about a word that is no verb of halide: with the command, if it is a file or a list.
func halideInstead(args []string, none error) error {
	switch {
	case args[0] == "list":
		args = []string{"--list"}
	case !cli.Exists(args[0]):
		return none
	}
	return &cli.Signpost{Text: none.Error() + "; to measure:", Command: cli.CommandLine("halide run", args...)}
}
