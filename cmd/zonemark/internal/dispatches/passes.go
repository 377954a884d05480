// Package dispatches finds out where the time of calls goes, dispatch by dispatch: It chooses the source of these times
// for each invocation of a plan, makes the passes with captures and tools of the runtimes, joins their results to the
// invocations, and writes the dispatch CSV. It does not measure calls.
package dispatches

import (
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver"
	"zonemark/driver/executors"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/environ"
)

// ProfiledCalls is the number of calls that are made under a profiler.
const ProfiledCalls = 50

// Options hold what a user wants to know about dispatches. Only Runtimes is needed.
type Options struct {
	Runtimes  runtimes.Table
	Source    runtimes.Source // that was asked for
	TraceFile string          // file for the first capture; if it is empty, captures are removed
	CSVFile   string          // file with a row for each dispatch; if it is empty, none is written
	Resume    bool            // the files keep what they hold about other invocations
	Elsewhere int             // how many other hosts measure; tools of runtimes cannot time dispatches there
	Executors hosting.Starters
	// Note receives sentences that a user should know. It may be nil.
	Note func(format string, args ...any)
}

func (o *Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(format, args...)
	}
}

// Passes are the passes beside the measuring that time the dispatches of a plan.
type Passes struct {
	options    Options
	traced     bool            // some invocations, which are marked, are to be traced
	recorded   map[string]bool // ids of the invocations that a tool of their runtime shall profile
	uncaptured string          // why there is no capture in the file that was asked for
}

// Choose chooses the source of the dispatches of each invocation and enters it into the plan. The variables are those
// of the executors. Choose returns an error if no invocation has the source that the user asked for.
func Choose(o Options, plan *plan.Plan, v environ.Variables) (*Passes, error) {
	passes := &Passes{options: o, recorded: map[string]bool{}}
	if o.Source == runtimes.SourceOff {
		return passes, nil
	}
	wish := runtimes.Wish{Source: o.Source, EachCall: o.CSVFile != "" && o.Elsewhere < 2} // a capture is of one host
	planned := false
	for i, p := range plan.All() {
		inv := &p.Invocation
		if p.Verdict != "" || inv.Measure.CheckOnly {
			continue
		}
		pass := o.Runtimes.Pass(wish, inv, v.Lookup)
		if o.Elsewhere > 0 && pass == runtimes.Recorded || o.Elsewhere > 1 && pass == runtimes.Captured {
			pass = runtimes.NoPass
		}
		switch pass {
		case runtimes.InExecutor:
			inv.Measure.ProfileCalls = ProfiledCalls
			plan.Set(i, p)
		case runtimes.Captured:
			inv.Trace, passes.traced = true, true
			plan.Set(i, p)
		case runtimes.Recorded:
			passes.recorded[inv.ID] = true
		}
		planned = planned || pass != runtimes.NoPass
	}
	if planned || plan.Len() == 0 || o.Elsewhere > 0 && o.Source == runtimes.SourceAuto {
		return passes, nil
	}
	return passes, o.Runtimes.Unserved(wish)
}

// Prepare has built what invocations that a profiler times need for it, beside what is measured. Their ids do not
// depend on it. An invocation without such a build is measured without its dispatches, and a note says why. build
// builds artifacts of a runtime and returns the file or the error of each.
func (p *Passes) Prepare(
	plan *plan.Plan, build func(runtime string, list []invocations.Artifact) (paths []string, failures []error),
) {
	waiting, artifacts := map[string][]int{}, map[string][]invocations.Artifact{} // by runtime
	for i, planned := range plan.All() {
		inv := &planned.Invocation
		if inv.Measure.ProfileCalls == 0 {
			continue
		}
		if artifact, needed := p.options.Runtimes.ProfileBuild(inv.Runtime, inv.Artifact); needed {
			waiting[inv.Runtime] = append(waiting[inv.Runtime], i)
			artifacts[inv.Runtime] = append(artifacts[inv.Runtime], artifact)
		}
	}
	for runtime, list := range waiting {
		paths, failures := build(runtime, artifacts[runtime])
		for i, position := range list {
			planned := plan.At(position)
			if failures[i] == nil {
				planned.Invocation.Artifact.Profiled = paths[i]
			} else {
				planned.Invocation.Measure.ProfileCalls = 0
				p.options.note("%s: no times of dispatches: %v", planned.Invocation.Name, failures[i])
			}
			plan.Set(position, planned)
		}
	}
}

// Captures reports whether some invocations are to be captured.
func (p *Passes) Captures() bool { return p.traced }

// Tracer starts captured executors, and knows what became of the captures when these have ended.
type Tracer interface {
	executors.Starter
	Close()
	Captures() []hosting.Capture
}

// NewTracer returns a tracer for runtimes. The first capture gets the path output.
type NewTracer func(output string, runtimes []string) Tracer

// List returns the passes for a driver. The executors that make the calls are started as h says; line shows progress.
// Captured ones are started by what newTracer returns; nil: on this machine.
func (p *Passes) List(h hosting.Options, newTracer NewTracer, line *cli.ProgressLine) (list []driver.DispatchPass) {
	if p.traced {
		list = append(list, (&tracePass{p, h, newTracer, line}).run)
	}
	if len(p.recorded) > 0 {
		list = append(list, (&recordPass{p.recorded, p.options.Executors, h, line}).run)
	}
	return list
}

// Uncaptured returns why there is no capture in the file that was asked for. It returns "" if there is one, or if the
// user asked for none.
func (p *Passes) Uncaptured() string { return p.uncaptured }
