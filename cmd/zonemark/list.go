package main

import (
	"context"
	"errors"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/listing"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/program"
)

const listIntro = "Show what is inside artifacts: functions, their arguments and parameters, " +
	"and what cannot run here and why. For a suite (.toml), show" + `
the invocations that it expands to.

Usage: zonemark list [flags] PATH…

Examples:
  zonemark list kernels.hat
  zonemark list suite.toml
`

func listCommand(ctx context.Context, p program.Program, args []string) int {
	f := measureflags.NewArtifact("list", p)
	f.Set.SortFlags = true // there are many, and all are equally important
	for _, name := range []string{"function=", "param=", "filter=", "input="} {
		cli.Needless(f.Set, "runtime", name, "has no counterpart: all functions are listed, with their parameters")
	}
	if err := f.ParseAlone(args, listIntro); err != nil {
		return p.Misused("list --help", err)
	}
	if f.Set.NArg() == 0 {
		return p.Misused("list --help", errors.New("list needs the path of an artifact or suite"))
	}
	if err := ofAnotherVerb(p, "list", f.Set.Arg(0)); err != nil {
		return p.Misused("list --help", err)
	}
	for _, path := range f.Set.Args() {
		if err := listing.Show(ctx, f, path); err != nil {
			return p.Fail("%v", err)
		}
	}
	return cli.ExitOK
}
