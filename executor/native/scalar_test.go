package native

import (
	"math"
	"testing"
	"time"
)

// TestScalarStretch: scalar work during which others had the core begins anew, since the clock is theirs. If they always
// have it, the look is given up.
func TestScalarStretch(t *testing.T) {
	const chain = 2 * time.Microsecond
	for _, c := range []struct {
		name   string
		breaks func(chain int) bool
		least  int // chains that are made
		most   int
		gaveUp bool
		tries  int
	}{
		{"nobody else", func(int) bool { return false }, 1000, 1000, false, scalarTries},
		{"one break after half of it", func(i int) bool { return i == 500 }, 1501, 1501, false, scalarTries},
		{"always", func(i int) bool { return i%100 == 99 }, 100 * scalarTries, 100 * scalarTries, true, scalarTries},
		{"a brief look", func(i int) bool { return i%100 == 99 }, 100 * briefTries, 100 * briefTries, true, briefTries},
	} {
		now, made := time.Unix(0, 0), 0
		work := scalarStretch{wanted: ScalarWork, tries: c.tries, last: now}
		for ; !work.done(); made++ {
			if now = now.Add(chain); c.breaks(made) {
				now = now.Add(3 * time.Millisecond)
			}
			work.pass(now)
		}
		if made < c.least || made > c.most || work.gaveUp() != c.gaveUp {
			t.Errorf("%s: %d chains, want %d to %d; gave up %t", c.name, made, c.least, c.most, work.gaveUp())
		}
	}
}

// TestTailOf: the clock of scalar code is that of the last millisecond, whose chains are as many as its share of the time.
func TestTailOf(t *testing.T) {
	for _, c := range []struct {
		chains int
		made   time.Duration
		want   int
	}{
		{1000, ScalarWork, 500},
		{4000, 8 * time.Millisecond, 500},
		{3, ScalarWork, 2},
		{2, scalarTail / 2, 2}, // no more than there are
	} {
		ns := make([]float64, c.chains)
		for i := range ns {
			ns[i] = float64(i)
		}
		got := tailOf(ns, c.made)
		if len(got) != c.want || got[len(got)-1] != ns[c.chains-1] {
			t.Errorf("%d chains in %v: %d of them, want the last %d", c.chains, c.made, len(got), c.want)
		}
	}
}

// TestStopsOf: chains of 1 µs on a host that stops them for 3 µs now and then.
func TestStopsOf(t *testing.T) {
	chains := func(n, every int, drift float64) (ns []float64) {
		for i := range n {
			took := 1000 * (1 + drift*float64(i)/float64(n))
			if every > 0 && i%every == every-1 {
				took += 3000
			}
			ns = append(ns, took)
		}
		return ns
	}
	stepped := func(ns []float64, step float64) []float64 {
		at, seen := 0.0, 0.0
		for i := range ns {
			at += ns[i]
			now := step * math.Floor(at/step)
			ns[i], seen = now-seen, now
		}
		return ns
	}
	for _, c := range []struct {
		name    string
		ns      []float64
		batchNS float64
		want    float64
	}{
		{"none, by a counter that goes in steps", stepped(chains(2000, 0, 0), 9.96), 100e3, 0},
		{"none, by a counter that goes in other steps", stepped(chains(2000, 0, 0), 9.94), 100e3, 0},
		{"every 50 µs, by a counter that goes in steps", stepped(chains(2000, 50, 0), 9.96), 100e3, 0.06},
		{"none", chains(2000, 0, 0), 100e3, 0},
		{"none, while the clock falls", chains(2000, 0, 0.05), 100e3, 0},
		{"every 50 µs, in batches of 100 µs", chains(2000, 50, 0), 100e3, 0.06},
		{"every 50 µs, while the clock falls", chains(2000, 50, 0.05), 100e3, 0.06},
		{"every 50 µs, in calls of 10 ms", chains(2000, 50, 0), 10e6, 0.06},
		{"every 50 µs, in calls of 15 µs, of which most have none", chains(2000, 50, 0), 15e3, 0},
		{"every 50 µs, in calls of 3 µs", chains(2000, 50, 0), 3e3, 0},
		{"every 3 ms, in calls of 1 ms, of which most have none", chains(10000, 3000, 0), 1e6, 0},
		{"every 3 ms, in calls of 20 ms", chains(10000, 3000, 0), 20e6, 0.0009},
		{"the tick of a system", chains(4000, 4000, 0), 10e6, 0},
		{"nothing was seen", nil, 100e3, 0},
	} {
		if got := stopsOf(c.ns, c.batchNS); math.Abs(got-c.want) > 0.003 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
