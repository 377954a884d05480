package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/sweeping"
)

const sweepIntro = `Sweep operations over their variables (blocks, tiles, formats, fidelities) on a PJRT device, on IREE or on both, and
fit cost models to the results, with the flags, folders and tables of Budabackend's run_sweep.py. Each configuration is a
program of its own, whose results are checked before it is timed.

Usage: zonemark sweep [flags]

Rows are kept in OPERATION/perf_sweep_summary.csv below --perf-sweep-output-dir as they come, with journals of all
results beside them. A finished operation is copied to --raw-data-output-dir.

Examples:
  zonemark sweep --dry-run                                       how many configurations there are
  zonemark sweep --op-name exp --plugin cpu
  zonemark sweep --op-type binary --runtime iree --continue-run  finish what was interrupted
  zonemark sweep --op-name exp --plugin cpu --runtime tt,iree    two runtimes beside each other
  zonemark sweep --print-operations > mine.json                  operations to begin with
  zonemark sweep --operations-cfg mine.json --force-clean
  ARCH_NAME=wormhole_b0 zonemark sweep --skip-perf-sweep         fit models to tables that are there
`

func sweepCommand(ctx context.Context, p program.Program, args []string) int {
	f := sweeping.NewFlags(p)
	err := f.Parse(args, sweepIntro)
	if err != nil {
		return p.Misused("sweep --help", err)
	}
	return sweeping.New(f).Run(ctx)
}
