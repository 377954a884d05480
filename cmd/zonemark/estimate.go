package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/estimating"
	"zonemark/cmd/zonemark/internal/program"
)

const estimateIntro = `Estimate what an operation costs without running it: by a parameter file, or by models
that "zonemark fit" has fitted. The expected error is that of the fit's cross-validation,
and the estimate says whether the operation is outside of what was fitted.

Usage: zonemark estimate [flags]
       zonemark estimate [flags] INPUT.csv [OUTPUT.csv]
       zonemark estimate sparse INPUT.csv OUTPUT.csv v1|v2|fit

The first form takes one operation from flags. The second adds columns to the rows of a file:
estimate, ratio of estimate to measurement, bounds, expected error, and why a row is outside.
The third evaluates the published formulas for sparse matrix multiplications, or a fitted
model, and adds estimate and ratio.

Examples:
  zonemark estimate --params params --arch wormhole_b0 --op-name gelu \
      --m 2 --n 4 --r 2 --c 4 --dataformat Bfp8_b --fidelity HiFi4
  zonemark estimate --models params --arch wormhole_b0 gelu.csv comparison.csv
  zonemark estimate --models products.json --op-name product --set M=64 --set N=128
  zonemark estimate sparse matmul-sparse-op-performance.csv comparison.csv v2
`

func estimateCommand(ctx context.Context, p program.Program, args []string) int {
	f := estimating.NewFlags(p)
	err := cli.Parse(f.Set, p.Streams, args, estimateIntro)
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		return p.Misused("estimate --help", err)
	}
	return f.Run(ctx)
}
