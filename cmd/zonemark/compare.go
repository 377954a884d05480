package main

import (
	"context"
	"errors"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/program"
)

const compareIntro = `Say whether what was measured twice became faster or slower. Each row has the ratio of new to old
with its interval between launches, and a verdict: faster, slower, same (the difference surely
lies within --margin), or undecided, with the smallest difference that would have been found.

Usage: zonemark compare [flags] OLD NEW

OLD and NEW are journals (run -o), JSON of Google Benchmark or hyperfine, Go benchmark results, or CSV of
hatlib and of operation sweeps. Rows are matched by id, then by name and parameters. Cycles are compared
if both sides counted them, else times at the machine's usual clock, else times. Rows that were disturbed
stay undecided.

Exit status: 0 the same or better, 1 an error, 3 something is slower or broken, 4 some rows are undecided.

Examples:
  zonemark run suite.toml -o old.ndjson                            before the change
  zonemark run suite.toml -o new.ndjson                            after it
  zonemark compare old.ndjson new.ndjson
  zonemark compare old.ndjson new.ndjson --format markdown         for a pull request
`

func compareCommand(ctx context.Context, p program.Program, args []string) int {
	f := comparing.NewFlags(p)
	err := f.Parse(args, compareIntro)
	if errors.Is(err, cli.ErrHelp) {
		return cli.ExitOK
	}
	if err != nil {
		return p.Misused("compare --help", err)
	}
	return f.Run(ctx)
}
