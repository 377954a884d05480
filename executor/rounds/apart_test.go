package rounds

import (
	"slices"
	"testing"

	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// Batches that were set apart keep their places among the others. Of very many, some are kept, evenly.
func TestApart(t *testing.T) {
	s := newSampling(&Session{overhead: 1}, budget{}, noise.Levels{})
	var kept []*batch
	addAll(s.made, make([]batch, 10))
	for i := range s.made.Kept {
		s.made.Kept[i].ns = float64(i)
		if i != 0 && i != 4 && i != 5 && i != 9 {
			kept = append(kept, &s.made.Kept[i])
		}
	}
	a := s.apart(kept)
	if !slices.Equal(a.NS, []float64{-1, 3, 4, 8}) || !slices.Equal(a.After, []int64{0, 3, 3, 6}) {
		t.Errorf("%+v", a)
	}
	s.begin()
	addAll(s.made, make([]batch, 5*invocations.MostApart))
	a = s.apart(nil)
	if n := len(a.NS); n > invocations.MostApart || n < invocations.MostApart/2 || len(a.After) != n {
		t.Errorf("%d of %d batches are kept", n, len(s.made.Kept))
	}
	kept = nil
	for i := range s.made.Kept {
		kept = append(kept, &s.made.Kept[i])
	}
	if a := s.apart(kept); a.NS != nil || a.After != nil {
		t.Errorf("none was set apart: %+v", a)
	}
}
