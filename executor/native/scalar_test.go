package native

import (
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
	}{
		{"nobody else", func(int) bool { return false }, 1000, 1000, false},
		{"one break after half of it", func(i int) bool { return i == 500 }, 1501, 1501, false},
		{"always", func(i int) bool { return i%100 == 99 }, 100 * scalarTries, 100 * scalarTries, true},
	} {
		now, made := time.Unix(0, 0), 0
		work := scalarStretch{wanted: ScalarWork, last: now}
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
