package main

import (
	"context"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/farming"
	"zonemark/cmd/zonemark/internal/program"
)

// farmVerbs is the table of what "zonemark farm" can do.
func farmVerbs() []subcommand {
	return []subcommand{
		{"sbatch", "write a script for Slurm that measures the shards of a plan as an array of jobs", farming.Sbatch},
	}
}

func farmCommand(ctx context.Context, p program.Program, args []string) int {
	if len(args) == 0 {
		farmUsage(p.Err)
		return cli.ExitError
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) == 2 && args[0] == "help" {
			return farmCommand(ctx, p, []string{args[1], "--help"})
		}
		farmUsage(p.Out)
		return cli.ExitOK
	}
	var names []string
	for _, v := range farmVerbs() {
		if v.name == args[0] {
			return v.run(ctx, p, args[1:])
		}
		names = append(names, v.name)
	}
	return p.Misused("farm --help", cli.Misspelt(fmt.Sprintf("farm has no verb %q", args[0]), args[0], names))
}

func farmUsage(w io.Writer) {
	fmt.Fprint(w, `Measure on many machines at once.

Usage: zonemark farm VERB [flags] PATH…

`)
	for _, v := range farmVerbs() {
		fmt.Fprintf(w, "  %-10s %s\n", v.name, v.summary)
	}
	fmt.Fprint(w, `
"zonemark help farm VERB" shows its flags. "zonemark merge" joins the results.
`)
}
