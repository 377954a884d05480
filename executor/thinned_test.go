package executor

import (
	"slices"
	"testing"
)

func TestThinned(t *testing.T) {
	const most = 100
	for _, n := range []int{0, 1, 99, 100, 101, 150, 199, 200, 10_000, 123_456} {
		s := newThinned[int](most)
		for i := range n {
			s.add(i)
		}
		switch {
		case s.seen != int64(n) || len(s.kept) > most || cap(s.kept) > most:
			t.Errorf("%d values: %d seen, %d kept, room for %d", n, s.seen, len(s.kept), cap(s.kept))
		case n < most && len(s.kept) != n, n >= most && len(s.kept) < most/2:
			t.Errorf("%d values: %d kept", n, len(s.kept))
		case !slices.IsSorted(s.kept):
			t.Errorf("%d values: out of order: %v", n, s.kept)
		}
		for i, v := range s.kept {
			if int64(v)/s.block != int64(i) {
				t.Errorf("%d values: %d is kept as number %d, blocks have %d", n, v, i, s.block)
				break
			}
		}
	}
}

// Values with a period of two, four or eight are kept evenly: sets of arguments come with such periods.
func TestThinnedFollowsNoPeriod(t *testing.T) {
	for _, period := range []int{2, 4, 8} {
		s := newThinned[int](2000)
		for i := range 64_000 {
			s.add(i % period)
		}
		seen := make([]int, period)
		for _, v := range s.kept {
			seen[v]++
		}
		for v, n := range seen {
			if want := len(s.kept) / period; n < want*3/4 || n > want*5/4 {
				t.Errorf("period %d: value %d was kept %d of %d times", period, v, n, len(s.kept))
			}
		}
	}
}

// An aligned pair of kept batches must both be able to survive, also later: what is kept twice in a row is random.
func TestThinnedKeepsAnyOfABlock(t *testing.T) {
	s := newThinned[int](1000)
	for i := range 16_000 {
		s.add(i)
	}
	places := map[int64]bool{}
	for _, v := range s.kept {
		places[int64(v)%s.block] = true
	}
	if s.block < 16 || len(places) != int(s.block) {
		t.Errorf("blocks of %d values, of which %d places are kept", s.block, len(places))
	}
}
