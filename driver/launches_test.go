package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/combine/combinetest"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

func TestEnough(t *testing.T) {
	crashed := invocations.Result{Status: invocations.Crashed}
	repeated := func(n int, r invocations.Result) []invocations.Result {
		return slices.Repeat([]invocations.Result{r}, n)
	}
	far := combinetest.LaunchesOf(1000, 1100, 900, 1200, 800)
	second := int64(time.Second)
	open := invocations.Measure{Precision: 0.01, MaxTimeNS: 2 * second}
	for _, c := range []struct {
		name    string
		measure invocations.Measure
		results []invocations.Result
		each    time.Duration // of a launch
		want    bool
	}{
		{"one of five", open, repeated(1, combinetest.MadeUp(1000)), 100 * time.Millisecond, false},
		{"four of five", open, repeated(4, combinetest.MadeUp(1000)), 100 * time.Millisecond, false},
		{"five that agree", open, repeated(5, combinetest.MadeUp(1000)), 100 * time.Millisecond, true},
		{"five that do not", open, far, 100 * time.Millisecond, false},
		{"five that do not, and no precision asked", invocations.Measure{MaxTimeNS: 2 * second}, far,
			100 * time.Millisecond, true},
		{"five, of which one was not quiet", open, append(repeated(4, combinetest.MadeUp(1000)), combinetest.Contended(1000)),
			100 * time.Millisecond, false},
		{"six, of which five were quiet", open, append(repeated(5, combinetest.MadeUp(1000)), combinetest.Contended(1000)),
			100 * time.Millisecond, true},
		{"the next one would not fit into the time", open, far, 350 * time.Millisecond, true},
		{"two, and three more would take three times as long as allowed", open, repeated(2, combinetest.MadeUp(1000)),
			2100 * time.Millisecond, true},
		{"a slow one, of which three can be made", open, repeated(1, combinetest.MadeUp(1000)), 2100 * time.Millisecond, false},
		{"no limit, and launches that differ", invocations.Measure{Precision: 0.01}, far, time.Minute, false},
		{"no limit, one of five", invocations.Measure{Precision: 0.01}, far[:1], time.Minute, false},
		{"crashed", open, []invocations.Result{combinetest.MadeUp(1000), crashed}, time.Millisecond, true},
		{"called once", invocations.Measure{CheckOnly: true}, []invocations.Result{{Status: invocations.OK}},
			time.Millisecond, true},
		{"two of three that were asked for, slow", invocations.Measure{Launches: 3, MaxTimeNS: second},
			repeated(2, combinetest.MadeUp(1000)), time.Minute, false},
		{"three of three, far apart", invocations.Measure{Launches: 3, Precision: 0.01, MaxTimeNS: second}, far[:3],
			time.Millisecond, true},
		{"one of one", invocations.Measure{Launches: 1, Precision: 0.01, MaxTimeNS: second}, far[:1], time.Millisecond,
			true},
		{"as many as there can be", open, repeated(maxLaunches, combinetest.Contended(1000)), time.Microsecond, true},
		{"more were asked for", invocations.Measure{Launches: maxLaunches + 1, MaxTimeNS: second},
			repeated(maxLaunches, combinetest.MadeUp(1000)), time.Microsecond, false},
	} {
		r, l := runOf(c.measure, c.results...)
		l.Last, l.Spent = c.each, time.Duration(len(c.results))*c.each
		if got := r.enough(l); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// A note tells of launches for which there was no time.
func TestAffordabilityNote(t *testing.T) {
	r, l := runOf(invocations.Measure{Precision: 0.01, MaxTimeNS: int64(time.Second)}, combinetest.MadeUp(1000), combinetest.MadeUp(1000))
	l.Last, l.Spent = 2500*time.Millisecond, 5*time.Second
	if !r.enough(l) {
		t.Error("a third launch of 2.5 s is made in a budget of 3 s")
	}
	out := l.Merge(r.plan.At(0).Invocation.Measure, nil)
	if out.Stop != "max-time" || !slices.ContainsFunc(out.Notes, func(n string) bool {
		return strings.Contains(n, "2 of 5 launches were made, since one takes 2.5 s") &&
			strings.Contains(n, "--launches")
	}) {
		t.Errorf("stop %q, notes %q", out.Stop, out.Notes)
	}
	r, l = runOf(invocations.Measure{Launches: 2}, combinetest.MadeUp(1000), combinetest.MadeUp(1000))
	if out := l.Merge(r.plan.At(0).Invocation.Measure, nil); len(out.Notes) > 0 || out.Stop != "launches" {
		t.Errorf("two launches that were asked for: stop %q, notes %q", out.Stop, out.Notes)
	}
}

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
		outcome, err := (&runner{Executor: starter}).measure(t.Context(), plan)
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
		outcome, err := (&runner{Executor: starter, Progress: func(p Progress) {
			if p.Record != nil {
				recorded <- p.Record.Name
			}
		}}).measure(ctx, plan)
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
	if _, err := (&runner{Executor: starter, Journal: written}).measure(t.Context(), plan); !errors.Is(err, os.ErrClosed) ||
		begun > 2 {
		t.Errorf("%d were measured, %v", begun, err)
	}
}

// Without a limit of time, launches have none either; it used to be a nanosecond for each.
func TestNoLimit(t *testing.T) {
	for most, want := range map[int64]int64{0: 0, 3: 1, 5e9: 1e9} {
		r, l := runOf(invocations.Measure{MaxTimeNS: most})
		if _, m := r.toLaunch(l, 0); m.Measure.MaxTimeNS != want {
			t.Errorf("limit %d: a launch may take %d ns, want %d", most, m.Measure.MaxTimeNS, want)
		}
	}
}

// runOf returns a run of one invocation, with what its launches gave.
func runOf(m invocations.Measure, results ...invocations.Result) (*run, *launched) {
	plan := plan.NewPlan(plan.Entry{Invocation: invocations.Invocation{ID: "f", Name: "f", Measure: m}})
	return &run{runner: &runner{}, plan: plan}, &launched{Launches: combine.Launches{Results: results}}
}
