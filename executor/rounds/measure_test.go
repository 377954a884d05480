package rounds

import (
	"testing"
	"time"

	"zonemark/invocations"
)

// Without a limit, a launch has all the time; a limit is one.
func TestBudgetLimit(t *testing.T) {
	for most, want := range map[int64]bool{0: false, 1: true, int64(time.Hour): false} {
		b := newBudget(invocations.Measure{MaxTimeNS: most}, (&script{}).now)
		b.start = b.start.Add(-time.Second)
		if over := b.spentNS() >= b.maxNS; over != want {
			t.Errorf("limit of %d ns: over %t after a second", most, over)
		}
	}
}
