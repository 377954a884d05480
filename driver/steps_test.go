package driver

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// meeting lets two sides go on when both have come.
type meeting struct {
	mu    sync.Mutex
	first map[int]chan struct{} // by number of the turn
}

// join reports whether the other side of a turn has come as well.
func (m *meeting) join(number int) bool {
	m.mu.Lock()
	if c := m.first[number]; c != nil {
		m.mu.Unlock()
		close(c)
		return true
	}
	c := make(chan struct{})
	m.first[number] = c
	m.mu.Unlock()
	select {
	case <-c:
		return true
	case <-time.After(10 * time.Second):
		return false
	}
}

// Short calls are measured in steps: both executors are prepared, then they have each turn at the same time. Long calls
// are not, nor is a fixed number of calls, nor are those of executors that do not tell their CPU, or of another system.
func TestSteps(t *testing.T) {
	const launches, cpu = 3, 5
	for _, c := range []struct {
		ns    float64 // of a call
		cpu   int     // that executors tell
		os    string  // of the host; empty: this machine
		fixed int64   // calls
		own   float64 // clock of the second side
		steps bool
	}{
		{longestStepped / 2, cpu, "", 0, 1, true},
		{longestStepped / 2, cpu, "linux", 0, 1, true},
		{longestStepped / 2, 0, "", 0, 1, false},
		{longestStepped / 2, cpu, "darwin", 0, 1, false},
		{2 * longestStepped, cpu, "", 0, 1, false},
		{longestStepped / 2, cpu, "", 40, 1, false},
		{longestStepped / 2, cpu, "", 0, 0.93, false},
		{longestStepped / 2, cpu, "", 0, 0.995, true},
	} {
		if c.os == "" && !lendsMemory() {
			continue
		}
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), MinIterations: 8, CPU: -1,
			Iterations: c.fixed})
		var mu sync.Mutex
		var prepared, turns int
		steps := map[int][]wire.Execute{}
		met := meeting{first: map[int]chan struct{}{}}
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			r := answerOf(m, 2, c.ns)
			if r.Canary.OwnClock = 1; m.Name == "b0" {
				r.Canary.OwnClock = c.own
			}
			if m.InTurns {
				r.CPU = c.cpu
			}
			mu.Lock()
			switch {
			case m.Steps.Turn > 0:
				steps[m.Steps.Turn] = append(steps[m.Steps.Turn], *m)
			case m.InTurns && m.Measure.MinTimeNS == 0:
				prepared++
				if calls := int64(stepNS / c.ns); m.Measure.CallsPerBatch != calls && c.steps {
					t.Errorf("%+v: %d calls in a batch, not %d", c, m.Measure.CallsPerBatch, calls)
				}
			case m.InTurns:
				turns++
			}
			mu.Unlock()
			if m.Steps.Turn > 0 && !met.join(m.Steps.Turn) {
				t.Errorf("turn %d: the other side is not measured at the same time", m.Steps.Turn)
			}
			return r
		}}
		execution := Execution{Executor: p, Pairs: &Pairs{Of: of,
			Decided: func(_ int, results [2][]invocations.Result, _ bool) bool { return len(results[0]) == launches }}}
		if c.os != "" {
			execution.Hosts = []*Host{{Name: "n1", Executor: p, Environment: map[string]string{"os": c.os}}}
		}
		outcome, err := Execute(t.Context(), plan, execution)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if r := recordstest.At(t, outcome.Records, i); r.Status != invocations.OK {
				t.Fatalf("%+v: %s %s", c, r.Status, r.Error)
			}
		}
		if !c.steps {
			// On a busy machine, executors take longer to load, and turns are more.
			if sides := (launches - 1) * 2; len(steps) > 0 || turns < sides*leastTurns || turns > sides*mostTurns {
				t.Errorf("%+v: %d turns in steps, %d turns", c, len(steps), turns)
			}
			continue
		}
		if len(steps) != (launches-1)*turnsInSteps || prepared != (launches-1)*2 || turns != 0 {
			t.Errorf("%+v: %d turns in steps, %d preparations, %d turns", c, len(steps), prepared, turns)
		}
		for number, both := range steps {
			turn := (number - 1) % turnsInSteps
			if len(both) != 2 || both[0].Steps.Role+both[1].Steps.Role != 1 || both[0].Steps.First != both[1].Steps.First ||
				turn > 0 && both[0].Steps.First == steps[number-1][0].Steps.First {
				t.Fatalf("turn %d: %+v", number, both)
			}
			for _, m := range both {
				parts := m.Measure.MinTimeNS / turnNS
				if m.Last != (turn == turnsInSteps-1) || m.Measure.CPU != cpu-1 || m.Measure.MinTimeNS%turnNS != 0 ||
					parts < leastTurns/turnsInSteps || parts > mostTurns/turnsInSteps ||
					m.Measure.MaxTimeNS <= 2*parts*turnNS || m.Measure.MinIterations > 8/turnsInSteps || m.Part != 0 {
					t.Errorf("turn %d: last %t, %+v", number, m.Last, m.Measure)
				}
			}
		}
	}
}

// A side that fails while it is prepared, or in a turn in steps, ends the launch.
func TestStepsFail(t *testing.T) {
	if !lendsMemory() {
		t.Skip("this system has no memory for steps")
	}
	for _, failing := range []string{"prepared", "turn 1", "turn 4"} {
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), CPU: -1})
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			at := "first"
			if m.InTurns {
				at = "prepared"
			}
			if m.Steps.Turn > 0 {
				at = fmt.Sprint("turn ", m.Steps.Turn)
			}
			if at == failing && strings.HasPrefix(m.ID, "b") {
				return &invocations.Result{Status: invocations.Failed, Error: "no", Number: m.Number}
			}
			r := answerOf(m, 2, 10)
			r.CPU = 1
			return r
		}}
		outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
			Decided: func(int, [2][]invocations.Result, bool) bool { return false }}})
		if err != nil || outcome.Records.Len() != 2 {
			t.Fatalf("%s: %d records, %v", failing, outcome.Records.Len(), err)
		}
		if a, b := recordstest.At(t, outcome.Records, 0), recordstest.At(t, outcome.Records, 1); a.Status != invocations.OK ||
			b.Status != invocations.Failed || b.Error != "no" {
			t.Errorf("%s: %s and %s %q", failing, a.Status, b.Status, b.Error)
		}
	}
}

// lendsMemory reports whether this system has memory that executors can exchange.
func lendsMemory() bool {
	x := executors.NewExchange(1)
	defer x.Close()
	return x != nil
}
