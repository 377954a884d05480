// Package listing shows the contents of artifacts and suites. It measures nothing.
package listing

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/environ"
	"zonemark/invocations/foreign"
	"zonemark/invocations/remedy"
)

// Show shows the contents of an artifact, or the plan of a suite. The flags hold the options for reading artifacts.
func Show(ctx context.Context, f *measureflags.Flags, path string) error {
	if measuring.IsSuite(path) {
		_, _, err := measuring.New(&f.Task, []string{path}).ShowPlan(ctx, f.Out)
		return err
	}
	requests, err := f.Requests([]string{path})
	if err != nil {
		return err
	}
	for i := range requests { // several if a folder holds artifacts of several runtimes
		if err := showRequest(ctx, f, requests[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// showRequest shows what the artifact of one request holds.
func showRequest(ctx context.Context, f *measureflags.Flags, requests []invocations.Invocation) error {
	variables, err := provideForReading(ctx, f, requests)
	if err != nil {
		return err
	}
	cache, err := f.Cache().Folder("built")
	if err != nil {
		return err
	}
	builder := f.Executors.Builder(hosting.Options{Variables: variables})
	defer builder.Close()
	planner := &plan.Planner{Builder: builder, Build: cli.Version(), Words: words(f), Cache: cache, Say: f.Say}
	ds, err := planner.Describe(ctx, requests[0].Runtime, requests[0].Artifact)
	if err != nil {
		return err
	}
	for _, d := range ds {
		if err := showDescription(f.Out, d); err != nil {
			return err
		}
	}
	return nil
}

// provideForReading finds what an executor needs to describe an artifact, and returns the executor's variables. It
// installs what is missing, except for an artifact that can be read without it. For such an artifact, a failure is only
// a warning.
func provideForReading(ctx context.Context, f *measureflags.Flags, requests []invocations.Invocation) (environ.Variables,
	error) {
	installing := f.Installing(f.Quiet)
	defer installing.Line.Clear()
	alone := f.Runtimes.ReadAlone(requests[0].Runtime, requests[0].Artifact.Path)
	o := installing.Options(f.Python)
	o.FindOnly = alone
	variables, err := f.Runtimes.Provide(ctx, o, requests)
	if alone && err != nil {
		f.Say("warning: %v", err)
		return f.Variables, nil
	}
	return variables, err
}

func showDescription(w io.Writer, d invocations.Description) error {
	fmt.Fprintf(w, "%s\n", foreign.Line(d.Artifact.Path))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, fn := range d.Functions {
		state := "runs here"
		switch {
		case fn.Skip != "":
			state = "skipped: " + fn.Skip
		case fn.Refused != "":
			state = "refused: " + fn.Refused
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
		fmt.Fprintf(t, "  %s\t(%s)\t%s\t%s\n", foreign.Line(fn.Name), foreign.Line(arguments(fn.Arguments)),
			foreign.Line(strings.Join(ps, " ")), foreign.Line(state))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, detail := range d.Details {
		fmt.Fprintf(w, "  %s\n", foreign.Text(detail))
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "  warning: %s\n", foreign.Text(warning))
	}
	return nil
}

// arguments returns a text such as "A float32[4x4], n int64".
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

// words returns what says what a user may do about an error. How a function may be called is said by the verb that calls it.
func words(f *measureflags.Flags) func(remedy.Remedy) string {
	return func(r remedy.Remedy) string {
		if r.Kind == remedy.Call {
			return ""
		}
		return f.Words(r)
	}
}
