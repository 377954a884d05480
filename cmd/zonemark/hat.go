package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/hatbench"
	"zonemark/cmd/zonemark/internal/program"
)

const hatIntro = `Measure the functions of HAT packages, each in a sandboxed child process.

Usage: zonemark hat [flags] DIR|FILE.hat…
       zonemark hat init [flags] FILE.c|FILE.h|FILE.so    writes a .hat file to start from

The flags of hatlib.benchmark_hat and of Accera's benchmark tool are taken in their old spellings, underscores included;
several names may follow --functions.

Examples:
  zonemark hat packages/                                every package in a folder
  zonemark hat kernels.hat --group                      compare functions with the same signature, and rank them
  zonemark hat kernels.hat --dim M=64,128 --dim N=256   runtime sizes, swept
  zonemark hat kernels.hat --results_file times.csv --store_in_hat
`

func hatCommand(ctx context.Context, p program.Program, args []string) int {
	if len(args) > 0 && args[0] == "init" {
		return hatInitCommand(ctx, p, args[1:])
	}
	f := hatbench.NewFlags(p)
	paths, err := f.Parse(args, hatIntro)
	if err != nil {
		return p.Misused("hat --help", err)
	}
	return f.Measurement(paths).Run(ctx)
}
