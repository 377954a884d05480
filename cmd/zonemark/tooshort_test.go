package main

import (
	"path/filepath"
	"testing"

	"zonemark/invocations"
)

// TestEmptyFromShort measures an empty function and four dependent additions, which take a few cycles. An empty function
// must never be reported as clean. If other work leaves too few quiet launches, no function can be told from an empty
// one, and the row is contended. How the two are told apart is tested with scripts: TestEmptyFromShortLaunch in package
// executor, TestMergeLaunches in package driver.
func TestEmptyFromShort(t *testing.T) {
	rows := measured(t, "hat", filepath.Join("testdata", "measuring"), "--function", "empty", "--function", "chained",
		"--launches", "3", "--min-time", "20ms", "--max-time", "150ms")
	for name, want := range map[string]bool{"empty": true, "chained": false} {
		r := timed(t, rows, name)
		if has(r, invocations.TooShort) != want && !has(r, invocations.Contended) {
			t.Errorf("%s takes %.3f ns (%.3f to %.3f, launches %.3f): %v", name, *r.MedianNS, *r.CILowNS, *r.CIHighNS,
				r.LaunchMediansNS, r.Verdicts)
		}
	}
}
