package zonestats

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/trace"
)

// scatteredZones yields zones of n names, in no order, many with equal times.
func scatteredZones(n int) iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		random := rand.New(rand.NewPCG(9, 10))
		for _, i := range random.Perm(n) {
			at := &trace.Location{Name: fmt.Sprintf("zone %d", i/3), File: fmt.Sprintf("%d.c", i%3/2), Line: uint32(i % 3)}
			for range 1 + i%4 {
				ns := random.Int64N(50) * 10
				if !yield(trace.Zone{Location: at, DurationNS: ns, SelfNS: ns / 2}, nil) {
					return
				}
			}
		}
	}
}

// TestSortShared: sorting that is shared between goroutines gives the order that one alone gives.
func TestSortShared(t *testing.T) {
	for _, n := range []int{0, 1, leastShared - 1, leastShared, 5*leastShared + 1} {
		summary, err := Summarize(scatteredZones(n), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range orders() {
			keyed := make([]keyedGroup, len(summary.Zones))
			for i, z := range summary.Zones {
				keyed[i].group = z
			}
			alone := slices.Clone(keyed)
			sortGroups(alone, nil, o.key, 1)
			if !slices.IsSortedFunc(alone, keyedGroup.compare) {
				t.Errorf("%d groups by %s are not in order", n, o.name)
			}
			for _, processors := range []int{2, 3, 8} {
				shared := slices.Clone(keyed)
				sortGroups(shared, make([]keyedGroup, n), o.key, processors)
				if !slices.Equal(alone, shared) {
					t.Errorf("%d groups by %s on %d processors: another order than on one", n, o.name, processors)
				}
			}
		}
	}
}
