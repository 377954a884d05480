package measuring

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/dispatches"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver"
	"zonemark/driver/plan"
	"zonemark/invocations/suite"
)

// CheckVia returns an error for what --via cannot do.
func (t *Task) CheckVia() error {
	if len(t.Via) == 0 {
		return nil
	}
	if err := remoting.Check(t.Via, t.SandboxCache); err != nil {
		return err
	}
	if len(t.Via) > 1 && (t.TraceFile != "" || t.Dispatches == runtimes.SourceTracy) {
		return errors.New("--via: a capture is of one host; give --via once, or say --dispatches profile or off")
	}
	return nil
}

// takeVia has a suite's hosts measure, unless the user has given others, and each of them everything if one suite says
// so.
func (t *Task) takeVia(s *suite.Suite) error {
	if s.Spread && !t.Given["spread"] {
		t.Spread, t.spreadOf = true, s.File
	}
	switch {
	case len(s.Via) == 0, t.Given["via"]:
		return nil
	case t.viaOf != "" && !slices.Equal(t.Via, s.Via):
		return fmt.Errorf("via: %s and %s name different hosts; give those that shall measure: --via COMMAND", t.viaOf,
			s.File)
	}
	t.Via, t.viaOf = s.Via, s.File
	if err := t.CheckVia(); err != nil {
		return fmt.Errorf("%s: via: %w", s.File, err)
	}
	return nil
}

// elsewhere are the hosts that measure instead of this machine. It is empty without --via.
type elsewhere struct {
	list  []*driver.Host
	hosts *remoting.Hosts
	own   bool // nobody else uses them
}

// newTracer returns what captures executors elsewhere; nil without --via.
func (e *elsewhere) newTracer() dispatches.NewTracer {
	if e.hosts == nil {
		return nil
	}
	return func(output string, _ []string) dispatches.Tracer { return e.hosts.Tracer(output) }
}

func (e *elsewhere) close() {
	if e.own {
		e.hosts.Close()
	}
}

// elsewhere connects to the hosts of --via and brings them what the plan needs. The plan's environment is then theirs.
func (m *Measurement) elsewhere(
	ctx context.Context, plan *plan.Plan, passes *dispatches.Passes, line *cli.ProgressLine,
) (*elsewhere, error) {
	if err := m.checkSpread(); err != nil {
		return nil, err
	}
	if len(m.Via) == 0 {
		return &elsewhere{}, nil
	}
	files, err := m.needed(ctx, plan)
	if err == nil && passes.Captures() {
		err = files.AddCaptures(m.variables.Lookup, plan.Runtimes())
	}
	if err != nil {
		return nil, err
	}
	for _, name := range m.VariableNames {
		files.AddVariables([]string{name + "=" + m.Variables.Lookup(name)})
	}
	say := func(format string, args ...any) {
		line.Clear()
		m.note(format, args...)
	}
	e := &elsewhere{hosts: m.Connected, own: m.Connected == nil}
	if e.own {
		e.hosts, err = remoting.Connect(ctx, remoting.Options{
			Via: m.Via, Hosting: m.Hosting(m.Variables, ""), Runtimes: plan.Runtimes(), Say: say, Line: line,
		})
		if err != nil {
			return nil, err
		}
	}
	e.list = e.hosts.List()
	if err := e.hosts.Use(ctx, files, plan); err != nil {
		e.close()
		return nil, err
	}
	line.Clear()
	plan.Environment = e.hosts.Environment()
	return e, nil
}

// checkSpread returns an error if the hosts of the plan are too few, or too many, for how they shall measure.
func (m *Measurement) checkSpread() error {
	switch {
	case m.Pairs != nil && len(m.Via) > 1:
		return errors.New("--via: what is compared launch by launch is measured on one host; give --via once")
	case m.Pairs != nil && m.spreadOf != "": // the comparison has hosts of its own
		m.Spread = false
	case !m.Spread || len(m.Via) > 1:
	case m.spreadOf != "":
		return fmt.Errorf("%s: spread measures on several hosts and compares them: name them with via in the suite or "+
			"with --via, or say --spread=false", m.spreadOf)
	default:
		return errors.New("--spread measures on several hosts and compares them: give --via for each of them " +
			"(--via env is this machine)")
	}
	return nil
}

// needed collects what hosts need.
func (m *Measurement) needed(ctx context.Context, plan *plan.Plan) (*remoting.Files, error) {
	files, err := remoting.NewFiles(m.Runtimes, m.Cache())
	if err != nil {
		return nil, err
	}
	if err := files.AddPlan(plan); err != nil {
		return nil, err
	}
	installing := m.Installing(m.Quiet)
	defer installing.Line.Clear()
	return files, files.AddRuntimes(ctx, installing.Options(m.Python), plan)
}
