package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/searching"
)

const tuneIntro = `Find the best of many variants of one computation, without measuring all of them precisely: values of flags and macros,
functions, points of a suite. Rounds race some of them, at random and near the best so far; the winner is then measured
anew, in pairs with the default, so that luck in the search does not count. The default is the first variant.

Usage: zonemark tune [flags] SUITE
       zonemark tune [flags] --try NAME=VALUE,VALUE… ARTIFACT

Examples:
  zonemark tune kernel.c --function mm --try cflags=-O2,-O3 --try D.TILE=8,16,32
  zonemark tune package.hat                              the functions of a package
  zonemark tune suite.toml --budget 10m -o tune.ndjson   the points of a suite; go on later with --resume
  zonemark tune module.mlir --try compile-flags=--iree-opt-level=O2,--iree-opt-level=O3
`

func tuneCommand(ctx context.Context, p program.Program, args []string) int {
	f := searching.NewFlags(p)
	err := f.Parse(args, tuneIntro)
	if err != nil {
		return p.Misused("tune --help", err)
	}
	return f.Run(ctx)
}
