package main

import (
	"context"

	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/program"
)

const compareIntro = `Say what became faster or slower between two measurements. Each row has the ratio of new to old
with its interval between launches, and a verdict: faster, slower, same (the difference is certainly
smaller than --margin), or undecided, with the smallest difference that would have been found.

Usage: zonemark compare [flags] OLD NEW
       zonemark compare --measure [flags] OLD NEW                     artifacts or suites
       zonemark compare --measure [flags] -- OLD COMMAND ::: NEW COMMAND
       zonemark compare --measure [flags] --artifact PATH [--build COMMAND] OLD NEW    folders or commits
       zonemark compare --bisect [flags] --artifact PATH GOOD BAD -- BUILD COMMAND

OLD and NEW are journals (run -o), JSON of Google Benchmark or hyperfine, Go benchmark results, or CSV of
hatlib and of operation sweeps. Rows are matched by id, then by name and parameters. Cycles are compared
if both sides counted them, else times at the machine's usual clock, else times. Rows that were disturbed
stay undecided.

With --measure, both sides are measured now, launch by launch in turns, until each row is decided or
twice --max-time is spent on it. --bisect measures commits against a good one and names the first slower one.

Exit status: 0 the same or better (or the commit is found), 1 an error, 3 something is slower or broken,
or missing now (--missing-ok accepts that), 4 some rows are undecided (or several
commits are left).

Examples:
  zonemark run suite.toml -o old.ndjson                            before the change
  zonemark run suite.toml -o new.ndjson                            after it
  zonemark compare old.ndjson new.ndjson
  zonemark compare old.ndjson new.ndjson --format markdown         for a pull request
  zonemark compare --measure old/libk.so new/libk.so --function 'void f(float x[64])'
  zonemark compare --measure v1.2 main --artifact build/k.hat --build 'make kernels'
  zonemark compare --bisect v1.2 main --artifact build/k.hat -- make kernels
`

func compareCommand(ctx context.Context, p program.Program, args []string) int {
	f := comparing.NewFlags(p)
	err := f.Parse(args, compareIntro)
	if err != nil {
		return p.Misused("compare --help", err)
	}
	return f.Run(ctx)
}
