package driver

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// raceOf returns a plan of a race of so many variants of one artifact.
func raceOf(variants int) *plan.Plan {
	whole := &plan.Plan{}
	for i := range variants {
		whole.Add(plan.Entry{MostLaunches: 30, Invocation: invocations.Invocation{
			ID: fmt.Sprintf("%016x", i+1), Name: fmt.Sprintf("v%d", i), Group: "g", Runtime: "hat",
			Artifact: invocations.Artifact{Path: "kernels.hat"},
			Measure: invocations.Measure{Mode: invocations.Warm, Launches: 10, MinTimeNS: int64(time.Second),
				MaxTimeNS: int64(time.Hour), CPU: -1},
		}})
	}
	return whole
}

// racing plays executors that measure variants v0, v1, … of a time each, with a little scatter.
type racing struct {
	puppet
	launches map[string]int
	least    map[string][]int64 // the least times of the launches of each
}

func newRacing(ns func(variant, launch int) float64, edit func(m *wire.Execute, r *invocations.Result)) *racing {
	p := &racing{launches: map[string]int{}, least: map[string][]int64{}}
	p.play = func(m *wire.Execute) *invocations.Result {
		var variant int
		if _, err := fmt.Sscanf(m.Name, "v%d", &variant); err != nil {
			return nil
		}
		p.launches[m.Name]++
		p.least[m.Name] = append(p.least[m.Name], m.Measure.MinTimeNS)
		r := combinetest.MadeUp(ns(variant, m.Number))
		r.Number, r.Mode, r.CallsPerBatch, r.Iterations = m.Number, m.Measure.Mode, 1, int64(len(r.SamplesNS))
		edit(m, &r)
		return &r
	}
	return p
}

func asPlayed(*wire.Execute, *invocations.Result) {}

// steps are times of which each is longer by 30 ns, from 1 µs on. Launches scatter by some thousandths.
func steps(variant, launch int) float64 {
	return (1000 + 30*float64(variant)) * (1 + 0.001*float64((7*variant+3*launch)%5))
}

// The best variant has as many launches as without a race. Others are dropped as soon as they cannot be the best, and keep
// a row that says so.
func TestRaceOfVariants(t *testing.T) {
	const variants = 60
	p := newRacing(steps, asPlayed)
	outcome, err := Execute(t.Context(), raceOf(variants), Execution{Executor: p})
	if err != nil || outcome.Records.Len() != variants {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	total := 0
	for i, r := range recordstest.All(t, outcome.Records) {
		total += p.launches[r.Name]
		if i == 0 {
			if r.Dropped != nil || p.launches[r.Name] != 10 || !slices.Equal(r.Verdicts, []invocations.Verdict{invocations.Clean}) {
				t.Errorf("the best: %+v, %d launches, %v", r.Dropped, p.launches[r.Name], r.Verdicts)
			}
			continue
		}
		d := r.Dropped
		if d == nil || d.Best != "v0" || d.Launches != p.launches[r.Name] || *r.Launches != d.Launches ||
			!(1 < d.Low && d.Low <= d.Ratio && d.Ratio <= d.High) || !slices.Contains(r.Verdicts, invocations.Slower) ||
			r.Stop != invocations.StopDropped || r.Status != invocations.OK {
			t.Errorf("%s: %+v, %d launches, %v, stop %s", r.Name, d, p.launches[r.Name], r.Verdicts, r.Stop)
		}
	}
	if p.launches["v59"] != 2 || p.launches["v20"] != 2 || total > 4*variants {
		t.Errorf("launches: %v, %d in all", p.launches, total)
	}
	if s := p.least["v0"]; s[0] != s[3] || s[4] != s[6] || 8*s[4] != s[7] || s[7] != s[9] {
		t.Errorf("least times of the launches of the best: %v", s)
	}
	// the short launches of a round share an executor, every other launch has its own
	long := 0
	for _, n := range p.launches {
		long += max(0, n-shortRounds)
	}
	if outcome.Executors != shortRounds+long {
		t.Errorf("%d executors for %d launches", outcome.Executors, total)
	}
}

// The first looks are brief: who is slower by a few percent only is not dropped before the one after them, which looks
// thoroughly. If that finds that calls need restored arguments, it takes the place of the others.
func TestRaceLooksThoroughly(t *testing.T) {
	asked := map[string][]wire.Execute{}
	worn := func(variant, launch int) float64 {
		switch {
		case variant == 0 && launch < mostLooks:
			return 1040
		case variant == 0:
			return 900
		}
		return 1000 + 10*float64(variant-1)
	}
	p := newRacing(worn, func(m *wire.Execute, r *invocations.Result) {
		asked[m.Name] = append(asked[m.Name], *m)
		r.Restored = m.Name == "v0" && m.Number >= mostLooks
	})
	outcome, err := Execute(t.Context(), raceOf(20), Execution{Executor: p})
	if err != nil || outcome.Records.Len() != 20 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	best := recordstest.At(t, outcome.Records, 0)
	if best.Dropped != nil || p.launches["v0"] != 10 || *best.Launches != 10-mostLooks || !best.Restored ||
		*best.MedianNS > 950 {
		t.Errorf("the best: %+v, %d launches, %d count, %t", best.Dropped, p.launches["v0"], *best.Launches, best.Restored)
	}
	for n, m := range asked["v0"] {
		if m.Brief != (n < mostLooks) || m.Trusted == (n == 0) || m.Thorough != (n == mostLooks) || m.Restored != (n > mostLooks) {
			t.Errorf("launch %d: brief %t, trusted %t, thorough %t, restored %t", n, m.Brief, m.Trusted, m.Thorough, m.Restored)
		}
	}
	// the best has one launch that counts after the thorough look
	if p.launches["v3"] != mostLooks+2 || p.launches["v19"] != 2 {
		t.Errorf("launches: %v", p.launches)
	}
}

// A race of variants that are alike ends with all of them; one that nothing decides ends after the most launches, or when
// the time is over.
func TestRaceEnd(t *testing.T) {
	alike := func(int, int) float64 { return 1000 }
	unsure := func(variant, launch int) float64 { return 1000 + 40*float64((variant+launch)%2) }
	for _, c := range []struct {
		name   string
		ns     func(variant, launch int) float64
		budget time.Duration
		want   int // launches of each
	}{{"alike", alike, time.Hour, 10}, {"undecided", unsure, time.Hour, 30}, {"no time", unsure, 1, 10}} {
		whole := raceOf(4)
		for i := range whole.Len() {
			entry := whole.At(i)
			entry.Invocation.Measure.MaxTimeNS = int64(c.budget)
			whole.Set(i, entry)
		}
		p := newRacing(c.ns, asPlayed)
		outcome, err := Execute(t.Context(), whole, Execution{Executor: p})
		if err != nil || outcome.Records.Len() != 4 {
			t.Fatalf("%s: %d records, %v", c.name, outcome.Records.Len(), err)
		}
		for _, r := range recordstest.All(t, outcome.Records) {
			if r.Dropped != nil || p.launches[r.Name] != c.want {
				t.Errorf("%s: %s has %d launches, want %d; %+v", c.name, r.Name, p.launches[r.Name], c.want, r.Dropped)
			}
		}
	}
}

// Of many variants that are alike, most leave after the first look that is not brief. The others have as many launches as
// everybody has who is left: short ones, which share an executor, and some of full length.
func TestRaceOfCrowd(t *testing.T) {
	const variants, left, brief, short = 20, 6, 4, 7
	p := newRacing(func(int, int) float64 { return 1000 }, asPlayed)
	outcome, err := Execute(t.Context(), raceOf(variants), Execution{Executor: p})
	if err != nil || outcome.Records.Len() != variants {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	for _, r := range recordstest.All(t, outcome.Records) {
		if out := len(p.least[r.Name]) == brief+1; (r.Stop == invocations.StopAlsoRan) != out || (r.Dropped != nil) != out ||
			slices.Contains(r.Verdicts, invocations.Slower) {
			t.Errorf("%s: stop %s, %+v, %v", r.Name, r.Stop, r.Dropped, r.Verdicts)
		}
	}
	stayed := 0
	for name, list := range p.least {
		if len(list) == short+fullLaunches {
			stayed++
			if list[short-1] != list[brief] || list[short] != 8*list[brief] || list[short+fullLaunches-1] != list[short] {
				t.Errorf("least times of the launches of %s: %v", name, list)
			}
		} else if len(list) != brief+1 {
			t.Errorf("%s has %d launches", name, len(list))
		}
		if list[brief-1] != list[0] || list[brief] < 2*list[0] {
			t.Errorf("least times of the first launches of %s: %v", name, list)
		}
	}
	if want := short + fullLaunches*left; outcome.Executors != want || stayed != left {
		t.Errorf("%d executors, want %d; %d have stayed", outcome.Executors, want, stayed)
	}
}

// A variant that does not end well leaves the race with its reason, and the others go on.
func TestRaceWithoutFailed(t *testing.T) {
	p := newRacing(steps, func(m *wire.Execute, r *invocations.Result) {
		if m.Name == "v0" && m.Number == 1 || m.Name == "v1" {
			*r = invocations.Result{Status: invocations.Failed, Error: "no", Number: m.Number,
				Calling: invocations.Calling{Mode: m.Measure.Mode}}
		}
	})
	outcome, err := Execute(t.Context(), raceOf(20), Execution{Executor: p})
	if err != nil || outcome.Records.Len() != 20 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	for i, r := range recordstest.All(t, outcome.Records) {
		failed := i < 2
		if (r.Status == invocations.Failed) != failed || (r.Dropped == nil) != (i < 3) {
			t.Errorf("%s: %s, %+v", r.Name, r.Status, r.Dropped)
		}
	}
	if p.launches["v0"] != 2 || p.launches["v1"] != 1 || p.launches["v2"] != 10 {
		t.Errorf("launches: %v", p.launches)
	}
}

// A contended launch that lost the CPU does not drop a variant, however long it took. One that kept the CPU counts.
func TestRaceContended(t *testing.T) {
	p := newRacing(steps, func(m *wire.Execute, r *invocations.Result) {
		r.Verdicts = []invocations.Verdict{invocations.Contended}
		for i := range r.SamplesNS {
			if m.Name == "v0" && m.Number < 2 {
				r.SamplesNS[i] *= 5
			}
		}
	})
	outcome, err := Execute(t.Context(), raceOf(60), Execution{Executor: p})
	if err != nil || outcome.Records.Len() != 60 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	if r := recordstest.At(t, outcome.Records, 0); r.Dropped != nil || p.launches["v0"] < 10 {
		t.Errorf("the best: %+v after %d launches", r.Dropped, p.launches["v0"])
	}
	if p.launches["v59"] != 2 || p.launches["v20"] != 2 {
		t.Errorf("%d and %d launches of others", p.launches["v59"], p.launches["v20"])
	}
}

// With top, so many are left and are measured as without a race.
func TestRaceForSeveral(t *testing.T) {
	p := newRacing(steps, asPlayed)
	outcome, err := Execute(t.Context(), raceOf(20), Execution{Executor: p, Top: 3})
	if err != nil || outcome.Records.Len() != 20 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	for i, r := range recordstest.All(t, outcome.Records) {
		if (r.Dropped == nil) != (i < 3) || i < 3 && p.launches[r.Name] != 10 {
			t.Errorf("%s: %+v, %d launches", r.Name, r.Dropped, p.launches[r.Name])
		}
	}
}

// Variants of different modes are not compared, and invocations without a race are measured as always.
func TestRaceOfModes(t *testing.T) {
	whole := raceOf(24)
	for i := range whole.Len() {
		p := whole.At(i)
		switch {
		case i >= 22:
			p.MostLaunches = 0
		case i%2 == 1:
			p.Invocation.Measure.Mode = invocations.Cold
		}
		whole.Set(i, p)
	}
	p := newRacing(steps, asPlayed)
	outcome, err := Execute(t.Context(), whole, Execution{Executor: p})
	if err != nil || outcome.Records.Len() != 24 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	for i, r := range recordstest.All(t, outcome.Records) {
		best := fmt.Sprintf("v%d", i%2)
		switch d := r.Dropped; {
		case i < 2 || i >= 22:
			if d != nil || p.launches[r.Name] != 10 {
				t.Errorf("%s: %+v, %d launches", r.Name, d, p.launches[r.Name])
			}
		case d == nil || d.Best != best:
			t.Errorf("%s: %+v, want it to be slower than %s", r.Name, d, best)
		}
	}
}

// A race that is interrupted keeps whom it has dropped. Those that were left race on, and the best is found all the same.
func TestRaceResumed(t *testing.T) {
	const variants = 40
	path := filepath.Join(t.TempDir(), "race.ndjson")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := newRacing(steps, func(m *wire.Execute, _ *invocations.Result) {
		if m.Number == 2 {
			cancel()
		}
	})
	outcome, err := Execute(ctx, raceOf(variants), Execution{Executor: first, Build: "test", Journal: JournalFile{Path: path}})
	kept := outcome.Records.Len()
	if err == nil || kept == 0 || kept >= variants {
		t.Fatalf("%d records, %v", kept, err)
	}
	second := newRacing(steps, asPlayed)
	outcome, err = Execute(t.Context(), raceOf(variants), Execution{Executor: second, Build: "test",
		Journal: JournalFile{Path: path, Resume: true}})
	if err != nil || outcome.Records.Len() != variants || len(second.launches) != variants-kept {
		t.Fatalf("%d records, %d measured after %d were kept, %v", outcome.Records.Len(), len(second.launches), kept, err)
	}
	for i, r := range recordstest.All(t, outcome.Records) {
		if (r.Dropped == nil) != (i == 0) {
			t.Errorf("%s: %+v", r.Name, r.Dropped)
		}
	}
	if second.launches["v0"] != 10 {
		t.Errorf("the best has %d launches", second.launches["v0"])
	}
}
