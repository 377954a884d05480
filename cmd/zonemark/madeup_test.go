package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/executor"
	"zonemark/invocations"
)

// madeUp returns zonemark with one more runtime, component and format, each added by its row alone. The test binary is
// this program if it is called by the name "madeup"; testdata/script/madeup.txtar uses it.
func madeUp() program.Program {
	p := program.Standard()
	p.Runtimes = append(p.Runtimes, abacusRow())
	p.Components = append(p.Components, beadsComponent())
	p.Formats = append(p.Formats, report.Format{Name: "tally", Help: "strokes", Write: writeTally})
	return p
}

// madeUpMain is main of that program.
func madeUpMain() {
	ctx, stop := contextFor(os.Args[1:])
	defer stop()
	os.Exit(doMain(ctx, madeUp(), os.Args[1:]))
}

// writeTally writes a stroke for each result.
func writeTally(w io.Writer, run report.Run) error {
	_, err := fmt.Fprintln(w, strings.Repeat("|", run.Records.Len()))
	return err
}

// beadsVariable is the variable that tells executors where the beads are.
const beadsVariable = "ZONEMARK_MADEUP_BEADS"

// beadsComponent installs the beads that an abacus needs: a file with their number.
func beadsComponent() setup.Component {
	c := setup.Component{
		Name: "beads", Version: "1.0", Summary: "wooden beads", Plan: "turning ten beads",
		Install: func(_ context.Context, w *setup.Work) (setup.Manifest, error) {
			return setup.Manifest{}, os.WriteFile(filepath.Join(w.Folder, "beads"), []byte("10"), 0o644)
		},
		Broken: func(folder string, _ setup.Manifest) string {
			if _, err := os.Stat(filepath.Join(folder, "beads")); err != nil {
				return "the beads are gone"
			}
			return ""
		},
		Help: setup.Help{Example: "what an abacus needs", Places: "beads"},
	}
	c.Find = func(o setup.Options) (setup.Found, error) {
		folder, err := c.Installed(o)
		if err != nil {
			return setup.Found{}, err
		}
		path := filepath.Join(folder, "beads")
		return setup.Found{Place: path, Environment: []string{beadsVariable + "=" + path}}, nil
	}
	return c
}

// abacusRow returns a runtime whose artifacts are texts with the names of functions. A call moves beads along rods.
func abacusRow() runtimes.Row {
	return runtimes.Row{
		Name: "abacus", New: func(getenv func(string) string) executor.Runtime { return abacus{getenv(beadsVariable)} },
		Recognizes: func(path string) bool { return filepath.Ext(path) == ".abacus" }, Pattern: "*.abacus",
		Options: []invocations.Option{
			{Name: "abacus-rods", Placeholder: "n", Usage: "rods of an abacus; 7 when left out"},
			{Name: "abacus-frame", Placeholder: "file", Usage: "frame of an abacus", Kind: invocations.FileOption},
		},
		Provide: func(ctx context.Context, r runtimes.Request) ([]string, error) {
			found, err := beadsComponent().Ensure(ctx, r.Setup)
			return found.Environment, err
		},
		Dispatches: &runtimes.Dispatches{
			Support: func(*invocations.Invocation,
				func(string) string) runtimes.Support {
				return runtimes.Support{}
			},
			Artifacts: "abacuses with a clock", Remedy: "a watchmaker brings one", Profiler: "ask a watchmaker",
		},
	}
}

// abacus is the runtime. It holds the path of the beads.
type abacus struct{ beads string }

func (abacus) Name() string { return "abacus" }

func (a abacus) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := invocations.Description{Artifact: invocations.Artifact{Path: path, Options: o.Options}}
	for name := range strings.FieldsSeq(string(text)) {
		d.Functions = append(d.Functions, invocations.Function{Name: name, Signature: "beads"})
	}
	return []invocations.Description{d}, nil
}

func (a abacus) Load(artifact invocations.Artifact) (executor.Program, error) {
	rods, err := 7, error(nil)
	if value := artifact.Options["abacus-rods"]; value != "" {
		if rods, err = strconv.Atoi(value); err != nil {
			return nil, fmt.Errorf("option abacus-rods=%s: not a number of rods", value)
		}
	}
	if frame := artifact.Options["abacus-frame"]; frame != "" {
		if _, err := os.Stat(frame); err != nil {
			return nil, fmt.Errorf("option abacus-frame: %w", err)
		}
	}
	text, err := os.ReadFile(a.beads)
	if err != nil {
		return nil, fmt.Errorf("no beads: %w", err)
	}
	beads, err := strconv.Atoi(string(text))
	return abacusProgram{rods: rods, beads: beads}, err
}

type abacusProgram struct{ rods, beads int }

func (p abacusProgram) Close() error { return nil }

func (p abacusProgram) Prepare(inv *invocations.Invocation, _ int64) (*executor.Call, error) {
	if inv.Function == "broken" {
		return nil, errors.New("a rod is broken")
	}
	moved := 0
	return &executor.Call{
		Work: &executor.Function{Invoke: func() error {
			for range 100 * p.rods * p.beads {
				moved++
			}
			return nil
		}},
		Properties: map[string]string{"rods": strconv.Itoa(p.rods), "beads": strconv.Itoa(p.beads)},
		Close:      func() {},
	}, nil
}
