package measure

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestEmptyFromShort measures an empty function and four dependent additions, which take a few cycles. An empty function
// must never be reported as clean. If other work leaves too few quiet launches, no function can be told from an empty
// one, and the row is contended. How the two are told apart is tested with scripts: TestEmptyFromShortLaunch in package
// executor, TestMergeLaunches in package driver.
func TestEmptyFromShort(t *testing.T) {
	rows := e2e.Measured(t, "hat", e2e.Testdata(t, "measuring"), "--function", "empty", "--function", "chained",
		"--launches", "3", "--min-time", "20ms", "--max-time", "150ms")
	for name, want := range map[string]bool{"empty": true, "chained": false} {
		r := e2e.Timed(t, rows, name)
		if e2e.Has(r, invocations.TooShort) != want && !e2e.Has(r, invocations.Contended) {
			t.Errorf("%s takes %.3f ns (%.3f to %.3f, launches %.3f): %v", name, *r.MedianNS, *r.CILowNS, *r.CIHighNS,
				r.LaunchMediansNS, r.Verdicts)
		}
	}
}
