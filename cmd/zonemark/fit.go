package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/fitting"
	"zonemark/cmd/zonemark/internal/program"
)

const fitIntro = `Fit cost models to sweeps of operations. A sweep is a table of configurations (.csv,
of Budabackend's four dialects, or with columns that --x names) or a journal of zonemark
(.ndjson). A folder stands for all sweeps below it.

Usage: zonemark fit [flags] PATH…

The model of a sweep is chosen by cross-validation: nnls and relative are the published formula, fitted to absolute and
to relative errors; extended has more terms; hybrid multiplies it by boosted trees. Rows of one shape are held back
together, so that an error is that of a shape which was not measured.

Examples:
  zonemark fit gelu-op-performance.csv
  zonemark fit perf_data --format ndjson -o fits.ndjson             one line a file
  zonemark fit perf_data/wormhole_b0 --params-dir params            write params/wormhole_b0_params.yaml
  zonemark fit perf_data --against params                           the worst mistakes of published parameters
  zonemark fit results.ndjson --x M,N,K --html results.html         a journal, with a page to look at
`

func fitCommand(ctx context.Context, p program.Program, args []string) int {
	f := fitting.NewFlags(p)
	err := cli.Parse(f.Set, p.Streams, args, fitIntro)
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		return p.Misused("fit --help", err)
	}
	return f.Run(ctx)
}
