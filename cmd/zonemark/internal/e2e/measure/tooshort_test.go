package measure

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// TestEmptyFromShort checks in many runs that an empty function is told from four dependent additions, which take a few
// cycles. An empty function must never be reported as clean with some cycles. If other work leaves too few quiet
// launches, no function can be told from an empty one, and the row is contended.
func TestEmptyFromShort(t *testing.T) {
	for run := range testsize.Of(5, 20) {
		rows := e2e.Measured(t, "hat", e2e.Testdata(t, "measuring"), "--function", "empty",
			"--function", "chained", "--launches", "3", "--min-time", "20ms", "--max-time", "150ms")
		for name, want := range map[string]bool{"empty": true, "chained": false} {
			r := e2e.Timed(t, rows, name)
			if short := e2e.Has(r, invocations.TooShort); short != want && !(short && e2e.Has(r, invocations.Contended)) {
				t.Errorf("run %d: %s takes %.3f ns (%.3f to %.3f, launches %.3f): %v", run, name, *r.MedianNS,
					*r.CILowNS, *r.CIHighNS, r.LaunchMediansNS, r.Verdicts)
			}
		}
	}
}
