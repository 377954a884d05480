package driver

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/driver/journal"
	"zonemark/driver/machine"
	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

// machineWith returns a machine with a known level and clock.
func machineWith(quietPorts, ghz float64) *machine.Knowledge {
	m := &machine.Knowledge{}
	m.Observe(invocations.Canary{Batches: 1, Ports: quietPorts, GHz: ghz})
	m.Settle()
	return m
}

func TestEnough(t *testing.T) {
	crashed := invocations.Result{Status: invocations.Crashed}
	repeated := func(n int, r invocations.Result) []invocations.Result {
		return slices.Repeat([]invocations.Result{r}, n)
	}
	far := launchesOf(1000, 1100, 900, 1200, 800)
	second := int64(time.Second)
	open := invocations.Measure{Precision: 0.01, MaxTimeNS: 2 * second}
	for _, c := range []struct {
		name    string
		measure invocations.Measure
		results []invocations.Result
		each    time.Duration // of a launch
		want    bool
	}{
		{"one of five", open, repeated(1, madeUp(1000)), 100 * time.Millisecond, false},
		{"four of five", open, repeated(4, madeUp(1000)), 100 * time.Millisecond, false},
		{"five that agree", open, repeated(5, madeUp(1000)), 100 * time.Millisecond, true},
		{"five that do not", open, far, 100 * time.Millisecond, false},
		{"five that do not, and no precision asked", invocations.Measure{MaxTimeNS: 2 * second}, far,
			100 * time.Millisecond, true},
		{"five, of which one was not quiet", open, append(repeated(4, madeUp(1000)), contendedLaunch(1000)),
			100 * time.Millisecond, false},
		{"six, of which five were quiet", open, append(repeated(5, madeUp(1000)), contendedLaunch(1000)),
			100 * time.Millisecond, true},
		{"the next one would not fit into the time", open, far, 350 * time.Millisecond, true},
		{"two, and three more would take three times as long as allowed", open, repeated(2, madeUp(1000)),
			2100 * time.Millisecond, true},
		{"a slow one, of which three can be made", open, repeated(1, madeUp(1000)), 2100 * time.Millisecond, false},
		{"no limit, and launches that differ", invocations.Measure{Precision: 0.01}, far, time.Minute, false},
		{"no limit, one of five", invocations.Measure{Precision: 0.01}, far[:1], time.Minute, false},
		{"crashed", open, []invocations.Result{madeUp(1000), crashed}, time.Millisecond, true},
		{"called once", invocations.Measure{CheckOnly: true}, []invocations.Result{{Status: invocations.OK}},
			time.Millisecond, true},
		{"two of three that were asked for, slow", invocations.Measure{Launches: 3, MaxTimeNS: second},
			repeated(2, madeUp(1000)), time.Minute, false},
		{"three of three, far apart", invocations.Measure{Launches: 3, Precision: 0.01, MaxTimeNS: second}, far[:3],
			time.Millisecond, true},
		{"one of one", invocations.Measure{Launches: 1, Precision: 0.01, MaxTimeNS: second}, far[:1], time.Millisecond,
			true},
		{"as many as there can be", open, repeated(maxLaunches, contendedLaunch(1000)), time.Microsecond, true},
		{"more were asked for", invocations.Measure{Launches: maxLaunches + 1, MaxTimeNS: second},
			repeated(maxLaunches, madeUp(1000)), time.Microsecond, false},
	} {
		r, l := runOf(c.measure, c.results...)
		l.last, l.spent = c.each, time.Duration(len(c.results))*c.each
		if got := r.enough(l); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// A note tells of launches for which there was no time.
func TestAffordabilityNote(t *testing.T) {
	r, l := runOf(invocations.Measure{Precision: 0.01, MaxTimeNS: int64(time.Second)}, madeUp(1000), madeUp(1000))
	l.last, l.spent = 2500*time.Millisecond, 5*time.Second
	if !r.enough(l) {
		t.Error("a third launch of 2.5 s is made in a budget of 3 s")
	}
	out := r.mergeLaunches(l)
	if out.Stop != "max-time" || !slices.ContainsFunc(out.Notes, func(n string) bool {
		return strings.Contains(n, "2 of 5 launches were made, since one takes 2.5 s") &&
			strings.Contains(n, "--launches")
	}) {
		t.Errorf("stop %q, notes %q", out.Stop, out.Notes)
	}
	r, l = runOf(invocations.Measure{Launches: 2}, madeUp(1000), madeUp(1000))
	if out := r.mergeLaunches(l); len(out.Notes) > 0 || out.Stop != "launches" {
		t.Errorf("two launches that were asked for: stop %q, notes %q", out.Stop, out.Notes)
	}
}

func TestStop(t *testing.T) {
	far := launchesOf(1000, 1100, 900, 1200, 800)
	for _, c := range []struct {
		measure invocations.Measure
		results []invocations.Result
		want    invocations.Stop
	}{
		{invocations.Measure{Launches: 5}, far, "launches"},
		{invocations.Measure{}, far, "minimum"},
		{invocations.Measure{Precision: 0.01}, far, "max-time"},
		{invocations.Measure{Precision: 0.01}, slices.Repeat(launchesOf(1000), 5), "precision"},
	} {
		r, l := runOf(c.measure, c.results...)
		if got := r.mergeLaunches(l).Stop; got != c.want {
			t.Errorf("%+v: %q, want %q", c.measure, got, c.want)
		}
	}
}

func TestQuietLaunches(t *testing.T) {
	level := func(ports float64) invocations.Result {
		return with(madeUp(1000), func(r *invocations.Result) { r.Canary.KeptPorts = ports })
	}
	all := []invocations.Result{
		level(2), level(2.09), level(2.11), level(3), contendedLaunch(1000),
		with(level(2), func(r *invocations.Result) { r.SamplesNS = nil }),
		with(level(0), func(r *invocations.Result) { r.Canary = invocations.Canary{Why: "threads"} }),
	}
	for _, c := range []struct {
		name    string
		machine *machine.Knowledge
		want    []float64 // levels
	}{
		{"nothing known", nil, []float64{2, 2.09, 2.11, 3, 0}},
		{"no level known", machineWith(0, 4), []float64{2, 2.09, 2.11, 3, 0}},
		{"a level known", machineWith(2, 4), []float64{2, 2.09, 0}}, // what has no probes is not judged by them
	} {
		r, _ := runOf(invocations.Measure{})
		r.Machine = c.machine
		var got []float64
		for _, one := range r.quietLaunches(all) {
			got = append(got, one.Canary.KeptPorts)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: levels %v, want %v", c.name, got, c.want)
		}
	}
}

// within reports whether two numbers are the same but for rounding.
func within(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func TestSpread(t *testing.T) {
	same := launchesOf(1000, 1000, 1000, 1000, 1000)
	noClock := with(madeUp(1000), func(r *invocations.Result) { r.CyclesSamples = nil })
	countedCycles := with(madeUp(1000), func(r *invocations.Result) { r.CyclesCounted = true })
	coarse := with(madeUp(1000), func(r *invocations.Result) { r.Clock, r.CallsPerBatch = "monotonic", 2 })
	history := machineWith(2, 5)
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		for _, of := range [][3]float64{{100, 100, 400}, {102, 101, 402}, {100, 100, 400}} {
			history.Remember(id, &invocations.Result{
				Verdicts: []invocations.Verdict{invocations.Clean},
				Spread: &invocations.Spread{Time: stats.Interval{Value: of[0]}, Reference: stats.Interval{Value: of[1]},
					Cycles: stats.Interval{Value: of[2]}},
			})
		}
	}
	// The clock is far from the usual one, and the share of the times that follows it is not known exactly.
	vague := 800 * 0.01 * math.Log(1.25)
	for _, c := range []struct {
		name                         string
		machine                      *machine.Knowledge
		results                      []invocations.Result
		time, reference, cycles      float64 // 0: not known
		timeHalf, refHalf, cycleHalf float64
	}{
		{"nothing known of the machine", nil, same, 1000, 0, 0, 3, 0, 0},
		{"a reference clock", machineWith(0, 5), same, 1000, 800, 0, 3, vague, 0},
		{"floors by history", history, same, 1000, 800, 0, 1000 * math.Log(1.02), vague, 0},
		{"a launch without a clock", machineWith(0, 5), append(same[:2:2], noClock), 1000, 800, 0, 3, vague, 0},
		{"most without a clock", machineWith(0, 5), []invocations.Result{same[0], noClock, noClock},
			1000, 0, 0, 3, 0, 0},
		{"counted cycles", machineWith(0, 5), slices.Repeat([]invocations.Result{countedCycles}, 3), 1000, 800, 4000, 3,
			vague, 0.005},
		{"cycles counted in half of them", machineWith(0, 5), []invocations.Result{countedCycles, madeUp(1000)},
			1000, 800, 4000,
			3, vague, 0.09192},
		{"in fewer", machineWith(0, 5), []invocations.Result{madeUp(1000), countedCycles, madeUp(1000)},
			1000, 800, 0, 3, vague, 0},
		{"a coarse clock", nil, slices.Repeat([]invocations.Result{coarse}, 3), 1000, 0, 0, 25, 0, 0},
		{"a single launch", nil, same[:1], 1000, 0, 0, 3, 0, 0},
		{"a single launch whose batches differ", nil, []invocations.Result{with(madeUp(1000),
			func(r *invocations.Result) {
				r.Summary.CILowNS, r.Summary.CIHighNS = 990, 1010
			})}, 1000, 0, 0, 10 * math.Sqrt2,
			0, 0},
	} {
		r, _ := runOf(invocations.Measure{})
		r.Machine = c.machine
		s := r.spread(c.results)
		for _, i := range []struct {
			what        string
			got         stats.Interval
			value, half float64
		}{{"time", s.Time, c.time, c.timeHalf}, {"reference", s.Reference, c.reference, c.refHalf},
			{"cycles", s.Cycles, c.cycles, c.cycleHalf}} {
			value, half := 0.0, 0.0
			if i.got.Known() {
				value, half = i.got.Value, i.got.Half()
			}
			if math.Abs(value-i.value) > 1e-4*i.value || !within(half, i.half) && math.Abs(half-i.half) > 1e-3*i.half {
				t.Errorf("%s: %s %+v, ± %g; want %g ± %g", c.name, i.what, i.got, half, i.value, i.half)
			}
		}
	}
	r, _ := runOf(invocations.Measure{})
	r.Machine = history
	if s := r.spread(same); math.Abs(s.ReferenceFloor-math.Log(1.01)) > 1e-9 {
		t.Errorf("the floor of the machine is %g beside the interval, want %g", s.ReferenceFloor, math.Log(1.01))
	}
	r, _ = runOf(invocations.Measure{})
	far := r.spread(launchesOf(900, 1000, 1100))
	if i := stats.LaunchInterval([]float64{900, 1000, 1100}); math.Abs(far.Time.Half()-i.Half()) > 1e-2 ||
		math.Abs(far.BetweenNS-100) > 0.1 || far.converged(0.01) {
		t.Errorf("launches far apart: %+v", far.Spread)
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
		for _, r := range outcome.Records.All() {
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
