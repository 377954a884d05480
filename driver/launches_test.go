package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// TestOneLaunchShares counts the executors that measure four invocations.
func TestOneLaunchShares(t *testing.T) {
	for _, c := range []struct {
		name      string
		edit      func(number int, inv *invocations.Invocation)
		executors int
	}{
		{"of one artifact", func(int, *invocations.Invocation) {}, 1},
		{"two launches", func(_ int, inv *invocations.Invocation) { inv.Measure.Launches = 2 }, 8},
		{"other artifacts", func(i int, inv *invocations.Invocation) { inv.Artifact.Path = strconv.Itoa(i) }, 4},
		{"other code", func(i int, inv *invocations.Invocation) { inv.Artifact.SHA256 = strconv.Itoa(i) }, 4},
		{"other options", func(i int, inv *invocations.Invocation) {
			inv.Artifact.Options = map[string]string{"device": strconv.Itoa(i)}
		}, 4},
		{"other CPUs", func(i int, inv *invocations.Invocation) { inv.Measure.CPU = i }, 4},
		{"other runtimes", func(i int, inv *invocations.Invocation) { inv.Runtime = strconv.Itoa(i) }, 4},
	} {
		plan := planOf("a", "b", "c", "d")
		for i := range plan.Len() {
			p := plan.At(i)
			inv := &p.Invocation
			inv.Runtime, inv.Measure = "hat", invocations.Measure{Launches: 1, CPU: -1}
			c.edit(i, inv)
			plan.Set(i, p)
		}
		starter := &puppet{play: func(m *wire.Execute) *invocations.Result { r := fitting(m); return &r }}
		outcome, err := Execute(t.Context(), plan, Execution{Executor: starter})
		if err != nil || outcome.Records.Len() != 4 {
			t.Fatalf("%s: %d records, %v", c.name, outcome.Records.Len(), err)
		}
		for _, r := range recordstest.All(t, outcome.Records) {
			if r.Status != invocations.OK {
				t.Errorf("%s: %s is %s: %s", c.name, r.Name, r.Status, r.Error)
			}
		}
		if outcome.Executors != c.executors {
			t.Errorf("%s: %d executors instead of %d", c.name, outcome.Executors, c.executors)
		}
	}
}

// TestRecordedMeanwhile has executors wait until the result before is recorded. With one launch, that happens while the
// next invocation is measured, and after the last one, whatever ends the run.
func TestRecordedMeanwhile(t *testing.T) {
	for _, ends := range []bool{false, true} {
		plan := planOf("a", "b", "c")
		for i, p := range plan.All() {
			p.Invocation.Runtime, p.Invocation.Measure = "hat", invocations.Measure{Launches: 1, CPU: -1}
			plan.Set(i, p)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		recorded := make(chan string, plan.Len())
		begun, told := 0, 0
		starter := &puppet{play: func(m *wire.Execute) *invocations.Result {
			if begun++; begun > 1 {
				select {
				case <-recorded:
					told++
				case <-time.After(time.Minute):
					t.Error("the result before is not recorded while an executor is busy")
				}
			}
			if ends && begun == 3 {
				cancel()
			}
			r := fitting(m)
			return &r
		}}
		launched := 0
		outcome, err := Execute(ctx, plan, Execution{Executor: starter, Progress: func(p Progress) {
			if p.Record == nil {
				launched++
				return
			}
			if next := p.Finished + 1; !ends && launched != min(next, plan.Len()) {
				t.Errorf("result %d is recorded after %d launches", p.Finished, launched)
			}
			recorded <- p.Record.Name
		}})
		want := 3
		if ends {
			want = 2
		}
		if outcome.Records.Len() < want || (err != nil) != ends || told != 2 {
			t.Errorf("ended early: %t: %d records, %v, %d of them meanwhile", ends, outcome.Records.Len(), err, told)
		}
	}
}

// An error of recording meanwhile ends the run.
func TestRecordingFails(t *testing.T) {
	plan := planOf("a", "b", "c")
	for i, p := range plan.All() {
		p.Invocation.Runtime, p.Invocation.Measure = "hat", invocations.Measure{Launches: 1, CPU: -1}
		plan.Set(i, p)
	}
	written, err := journal.Create(filepath.Join(t.TempDir(), "j"), journal.Header{}, false)
	if err != nil {
		t.Fatal(err)
	}
	begun := 0
	starter := &puppet{play: func(m *wire.Execute) *invocations.Result {
		if begun++; begun == 1 {
			written.Close(false)
		}
		r := fitting(m)
		return &r
	}}
	s := &session{Execution: Execution{Executor: starter}, plan: plan, journal: written}
	if _, err := s.measure(t.Context()); !errors.Is(err, os.ErrClosed) ||
		begun > 2 {
		t.Errorf("%d were measured, %v", begun, err)
	}
}
