package serving

import "testing"

// The first call is told by CPU time, so that other work does not count, and without page faults.
func TestFirstCall(t *testing.T) {
	for _, c := range []struct {
		name  string
		looks [][2]int64 // CPU time and page faults so far, before each call and after the last one
		want  float64
	}{
		{"one call", [][2]int64{{1000, 5}, {401_000, 5}}, 400_000},
		{"further calls", [][2]int64{{1000, 5}, {401_000, 5}, {402_000, 5}, {999_000, 5}}, 400_000},
		{"page faults", [][2]int64{{1000, 5}, {401_000, 105}, {402_000, 105}}, 400_000 - 100*faultNS},
		{"nothing but page faults", [][2]int64{{0, 0}, {100_000, 100}, {900_000, 100}}, 1},
		{"no call", [][2]int64{{1000, 5}}, 0},
	} {
		at := 0
		first := firstCall{look: func() (int64, int64) { return c.looks[at][0], c.looks[at][1] }}
		for at = range c.looks {
			first.next()
		}
		if first.ns != c.want {
			t.Errorf("%s: %v ns, want %v", c.name, first.ns, c.want)
		}
	}
}
