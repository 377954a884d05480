package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/modelbench"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/bench"
)

func benchIntro() string {
	return "Measure models end to end on PJRT devices and on IREE, with the flags of PyBuda's benchmark. " +
		"Models are exported as StableHLO with seeded random weights, checked against JAX's own\n" +
		"results, and measured in a sandboxed child process. " +
		"JAX and Keras are installed into zonemark's cache where they are missing." + `

Usage: zonemark bench -m MODEL [-c CONFIG] [flags]

` + cli.Wrapped("The time: "+bench.Definition+". Beside it, "+bench.SteadyDefinition+".", 160) + `

Examples:
  zonemark bench --list
  zonemark bench -m bert -c tiny -o perf.json
  zonemark bench -m bert -c base --layers 2 -t -df Fp16_b --chips 0
  zonemark bench -m bert -c tiny -df Bfp8_b --emulate-formats
  zonemark bench -m bert -c tiny --runtime tt,iree     both, in turns, with the ratio of their times
  zonemark bench -m bert -c tiny --via "ssh HOST"      on another host, which needs no JAX
  zonemark bench -m mlp -c small --own-models my_models/
`
}

func benchCommand(ctx context.Context, p program.Program, args []string) int {
	f := modelbench.NewFlags(p)
	if err := f.Parse(args, benchIntro()); err != nil {
		return p.Misused("bench --help", err)
	}
	if f.Options.List {
		return modelbench.New(f).List(ctx)
	}
	return modelbench.New(f).Run(ctx)
}
