package main

import (
	"path/filepath"
	"testing"

	"zonemark/invocations"
)

// TestEmptyFromShort tells an empty function from four dependent additions, in each of many runs: a few cycles are a
// lot beside what is known of them. An empty function was now and then measured as some cycles, and clean. Where other
// work leaves too few quiet launches, so that they are far apart, nothing is told from an empty function; the row is
// contended then.
func TestEmptyFromShort(t *testing.T) {
	runs := 50
	if testing.Short() {
		runs = 5
	}
	for run := range runs {
		rows := measured(t, "hat", filepath.Join("testdata", "measuring"), "--function", "empty",
			"--function", "chained", "--launches", "3", "--min-time", "20ms", "--max-time", "150ms")
		for name, want := range map[string]bool{"empty": true, "chained": false} {
			r := timed(t, rows, name)
			if short := has(r, invocations.TooShort); short != want && !(short && has(r, invocations.Contended)) {
				t.Errorf("run %d: %s takes %.3f ns (%.3f to %.3f, launches %.3f): %v", run, name, *r.MedianNS,
					*r.CILowNS, *r.CIHighNS, r.LaunchMediansNS, r.Verdicts)
			}
		}
	}
}
