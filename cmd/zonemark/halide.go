package main

import (
	"context"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/halidebench"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/tuning"
)

// halideVerbs is the table of what "zonemark halide" can do, in the order of the help text.
func halideVerbs() []subcommand {
	return []subcommand{
		{"run", "build, check and measure benchmarks with several schedules, and compare these", halidebench.Run},
		{"pretrain", "tune the autoscheduler for pipelines and this machine, and keep the best schedules", tuning.Run},
		{"autotune", "", tuning.Run}, // the older name
	}
}

func halideCommand(ctx context.Context, p program.Program, args []string) int {
	if len(args) == 0 {
		halideUsage(p.Err)
		return cli.ExitError
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) == 2 && args[0] == "help" {
			return halideCommand(ctx, p, []string{args[1], "--help"})
		}
		halideUsage(p.Out)
		return cli.ExitOK
	}
	var names []string
	for _, v := range halideVerbs() {
		if v.name == args[0] {
			return v.run(ctx, p, args[1:])
		}
		if v.summary != "" {
			names = append(names, v.name)
		}
	}
	return p.Misused("halide --help",
		halideVerb(args, cli.Misspelt(fmt.Sprintf("halide has no verb %q", args[0]), args[0], names)))
}

func halideUsage(w io.Writer) {
	fmt.Fprint(w, `Build and measure Halide pipelines from their generators, and tune their schedules.

Usage: zonemark halide VERB [flags] BENCHMARK…

`)
	for _, v := range halideVerbs() {
		if v.summary != "" {
			fmt.Fprintf(w, "  %-10s %s\n", v.name, v.summary)
		}
	}
	fmt.Fprint(w, `
"zonemark halide run --list" shows the benchmarks, and "zonemark halide VERB --help" the flags of a verb. Halide is
installed on first use. "zonemark run" measures single generators and libraries.
`)
}

// halideVerb returns the error about a word that is no verb of halide: with the command, if it is a file or a list.
func halideVerb(args []string, none error) error {
	switch {
	case args[0] == "list":
		args = []string{"--list"}
	case !cli.Exists(args[0]):
		return none
	}
	return &cli.Signpost{Text: none.Error() + "; to measure:", Command: cli.CommandLine("halide run", args...)}
}
