package driver

import (
	"slices"
	"strings"
	"testing"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// watching is a puppet that remembers with which allowances it was started.
type watching struct {
	puppet
	supervised []bool
}

func (w *watching) Start(a executors.Allowance) (*executors.Process, error) {
	p, err := w.puppet.Start(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.supervised = append(w.supervised, a.Supervised)
	return p, err
}

// TestSupervisedLaunch checks that the first launch is supervised, that it is made again without supervision if that
// would slow calls down, and that what it has seen is told with the result.
func TestSupervisedLaunch(t *testing.T) {
	const note = "refused: openat of /x"
	for _, c := range []struct {
		name       string
		asks       int // how many executors ask for others
		status     invocations.Status
		supervised []bool
	}{
		{"nothing is slowed down", 0, invocations.OK, []bool{true, false, false}},
		{"calls are slowed down", 1, invocations.OK, []bool{true, false, false, false}},
		{"without supervision, too", 2, invocations.Crashed, nil},
	} {
		asked := 0
		starter := &watching{puppet: puppet{play: func(m *wire.Execute) *invocations.Result {
			if asked++; asked <= c.asks {
				return &invocations.Result{Status: invocations.OK,
					Calling: invocations.Calling{Stop: invocations.StopSupervised}, Number: m.Number,
					Notes: []string{note}, Verdicts: []invocations.Verdict{invocations.Refused}}
			}
			r := fitting(m)
			return &r
		}}}
		plan := planOf("a")
		p := plan.At(0)
		p.Invocation.Measure = invocations.Measure{Launches: 3, CPU: -1}
		plan.Set(0, p)
		outcome, err := Execute(t.Context(), plan, Execution{Executor: starter})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recordstest.All(t, outcome.Records) {
			told := slices.Contains(r.Notes, note) && slices.Contains(r.Verdicts, invocations.Refused)
			if r.Status != c.status || r.Status == invocations.OK && told != (c.asks > 0) {
				t.Errorf("%s: %s %s, %v, %q", c.name, r.Status, r.Error, r.Verdicts, r.Notes)
			}
			if c.status == invocations.Crashed && !strings.Contains(r.Error, "cannot be true") {
				t.Errorf("%s: %s", c.name, r.Error)
			}
		}
		used := starter.supervised
		used = slices.DeleteFunc(slices.Clone(used[1:]), func(s bool) bool { return s }) // one may be started ahead
		if want := c.supervised; want != nil && (!starter.supervised[0] || len(used) < len(want)-1) {
			t.Errorf("%s: executors were supervised: %v, want %v", c.name, starter.supervised, want)
		}
	}
}
