package main

import (
	"context"
	"errors"
)

const runIntro = `Measure suites (.toml) and artifacts (HAT packages), each function in a sandboxed child process.

Usage: zonemark run [flags] [PATH…]

Without a path, the shipped example is built with the system's C compiler and measured.

Examples:
  zonemark run                                   the shipped example: a ranking of matrix products
  zonemark run suite.toml -o results.ndjson      a suite, with a journal that survives anything
  zonemark run suite.toml -o results.ndjson --resume
  zonemark run kernels.hat --mode cold --param M=64,128 --format csv
`

func runCommand(ctx context.Context, s streams, args []string) int {
	f := newMeasureFlags("run")
	paths, err := f.parse(s, args, runIntro)
	if errors.Is(err, errHelp) {
		return exitOK
	}
	if err != nil {
		return s.misused("run --help", err)
	}
	if len(paths) == 0 {
		example, err := unpackExample()
		if err != nil {
			return s.fail("%v", err)
		}
		paths = []string{example}
		if !f.set.Changed("group") {
			f.group = groupAuto
		}
	}
	m := &measurement{measureFlags: f, streams: s, paths: paths}
	return m.all(ctx, nil)
}
