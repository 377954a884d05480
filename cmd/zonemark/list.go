package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver"
	"zonemark/driver/environ"
	"zonemark/invocations"

	"github.com/spf13/pflag"
)

const listIntro = `Show what is inside artifacts: functions, their arguments and parameters, and what cannot run here and why. For a suite (.toml), show
the invocations that it expands to.

Usage: zonemark list [flags] PATH…

Examples:
  zonemark list kernels.hat
  zonemark list suite.toml
`

func listCommand(ctx context.Context, p program.Program, args []string) int {
	f := newMeasureFlags("list", p)
	set := pflag.NewFlagSet("list", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.inv.Runtime, "runtime", "", "runtime of the artifacts, when their names do not tell: "+strings.Join(p.Runtimes.Names(), ", "))
	f.set = set
	set.SetNormalizeFunc(cli.NormalizeFlag)
	f.addOptions()
	if err := set.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(p.Out, listIntro, "\nFlags:\n", set.FlagUsages())
			return cli.ExitOK
		}
		return p.Misused("list --help", cli.FlagError(err, set))
	}
	if set.NArg() == 0 {
		return p.Misused("list --help", errors.New("list needs the path of an artifact or suite"))
	}
	for _, path := range set.Args() {
		if err := list(ctx, f, path); err != nil {
			return p.Fail("%v", err)
		}
	}
	return cli.ExitOK
}

func list(ctx context.Context, f *measureFlags, path string) error {
	p := f.program
	if isSuite(path) {
		plan, err := newMeasurement(f, []string{path}).planned(ctx)
		if err != nil {
			return err
		}
		return showPlan(p.Out, plan)
	}
	base, err := f.base()
	if err != nil {
		return err
	}
	requests, err := f.artifact(path, base)
	if err != nil {
		return err
	}
	variables, err := provideForReading(ctx, f, requests)
	if err != nil {
		return err
	}
	cache, err := p.Cache().Folder("built")
	if err != nil {
		return err
	}
	builder := hosting.NewBuilder(f.hosting(variables, ""))
	defer builder.Close()
	planner := &driver.Planner{Builder: builder, Build: cli.Version(), Cache: cache, Say: p.Say}
	ds, err := planner.Describe(ctx, requests[0].Runtime, requests[0].Artifact)
	if err != nil {
		return err
	}
	for _, d := range ds {
		if err := showDescription(p.Out, d); err != nil {
			return err
		}
	}
	return nil
}

// provideForReading finds what describes an artifact, and returns the variables of the executor that does. It installs
// what is missing, but not for an artifact that is read as it is: then what goes wrong is a warning.
func provideForReading(ctx context.Context, f *measureFlags, requests []invocations.Invocation) (environ.Variables, error) {
	p := f.program
	installing := p.Installing(f.quiet)
	defer installing.Line.Clear()
	alone := p.Runtimes.ReadAlone(requests[0].Runtime, requests[0].Artifact.Path)
	variables, err := p.Runtimes.Provide(ctx, installing.Options(f.python), requests, alone)
	if alone && err != nil {
		p.Say("warning: %v", err)
		return p.Variables, nil
	}
	return variables, err
}

func showDescription(w io.Writer, d invocations.Description) error {
	fmt.Fprintf(w, "%s\n", d.Artifact.Path)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, fn := range d.Functions {
		state := "runs here"
		switch {
		case fn.Skip != "":
			state = "skipped: " + fn.Skip
		case fn.Lacks != "":
			state = "tried, although this CPU lacks " + fn.Lacks
		case fn.Note != "":
			state = fn.Note
		}
		var ps []string
		for _, p := range fn.Parameters {
			if p.Default == "" {
				ps = append(ps, p.Name)
				continue
			}
			ps = append(ps, p.Name+"="+p.Default)
		}
		fmt.Fprintf(t, "  %s\t(%s)\t%s\t%s\n", fn.Name, arguments(fn.Arguments), strings.Join(ps, " "), state)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, detail := range d.Details {
		fmt.Fprintf(w, "  %s\n", detail)
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "  warning: %s\n", warning)
	}
	return nil
}

// arguments is "A float32[4x4], n int64".
func arguments(list []invocations.Argument) string {
	var out []string
	for i, a := range list {
		text := a.Name
		if text == "" {
			text = fmt.Sprint(i)
		}
		text += " " + string(a.Element)
		switch {
		case a.Extent != "":
			text += "[" + a.Extent + "]"
		case len(a.Shape) > 0:
			dims := make([]string, len(a.Shape))
			for j, n := range a.Shape {
				dims[j] = fmt.Sprint(n)
			}
			text += "[" + strings.Join(dims, "x") + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// launchesText is how often a plan says that an invocation is launched.
func launchesText(m invocations.Measure) string {
	switch {
	case m.CheckOnly:
		return "1"
	case m.Launches > 0:
		return fmt.Sprint(m.Launches)
	}
	return fmt.Sprintf("%d or more", driver.LeastLaunches)
}

// showPlan lists what would be measured.
func showPlan(w io.Writer, plan *driver.Plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "id\tname\truntime\tfunction\tmode\tlaunches\tgroup\t")
	for _, p := range plan.List {
		inv := p.Invocation
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t", inv.ID, inv.Name, inv.Runtime, inv.Function, inv.Measure.Mode, launchesText(inv.Measure), inv.Group)
		if p.Verdict != "" {
			fmt.Fprintf(t, "%s: %s", p.Verdict, p.Reason)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// showPlan lists the plan instead of carrying it out.
func (m *measurement) showPlan(plan *driver.Plan) int {
	if err := showPlan(m.Out, plan); err != nil {
		return m.Fail("%v", err)
	}
	m.note("%d invocations; nothing was measured (--dry-run)", len(plan.List))
	return cli.ExitOK
}
