package stats

import (
	"slices"
	"testing"
)

func TestThinned(t *testing.T) {
	const most = 100
	for _, n := range []int{0, 1, 99, 100, 101, 150, 199, 200, 10_000, 123_456} {
		s := NewThinned[int](most)
		for i := range n {
			s.Add(i)
		}
		switch {
		case s.Seen != int64(n) || len(s.Kept) > most || cap(s.Kept) > most:
			t.Errorf("%d values: %d seen, %d kept, room for %d", n, s.Seen, len(s.Kept), cap(s.Kept))
		case n < most && len(s.Kept) != n, n >= most && len(s.Kept) < most/2:
			t.Errorf("%d values: %d kept", n, len(s.Kept))
		case !slices.IsSorted(s.Kept):
			t.Errorf("%d values: out of order: %v", n, s.Kept)
		}
		for i, v := range s.Kept {
			if int64(v)/s.Block != int64(i) {
				t.Errorf("%d values: %d is kept as number %d, blocks have %d", n, v, i, s.Block)
				break
			}
		}
	}
}

// Values with a period of two, four or eight are kept evenly: sets of arguments come with such periods.
func TestThinnedFollowsNoPeriod(t *testing.T) {
	for _, period := range []int{2, 4, 8} {
		s := NewThinned[int](2000)
		for i := range 64_000 {
			s.Add(i % period)
		}
		seen := make([]int, period)
		for _, v := range s.Kept {
			seen[v]++
		}
		for v, n := range seen {
			if want := len(s.Kept) / period; n < want*3/4 || n > want*5/4 {
				t.Errorf("period %d: value %d was kept %d of %d times", period, v, n, len(s.Kept))
			}
		}
	}
}

// An aligned pair of kept batches must both be able to survive, also later: what is kept twice in a row is random.
func TestThinnedKeepsAnyOfABlock(t *testing.T) {
	s := NewThinned[int](1000)
	for i := range 16_000 {
		s.Add(i)
	}
	places := map[int64]bool{}
	for _, v := range s.Kept {
		places[int64(v)%s.Block] = true
	}
	if s.Block < 16 || len(places) != int(s.Block) {
		t.Errorf("blocks of %d values, of which %d places are kept", s.Block, len(places))
	}
}
