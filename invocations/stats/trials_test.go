package stats

import (
	"testing"

	"zonemark/invocations/race"
)

// countsRates is said by a test that repeats an experiment thousands of times and counts how it ends.
func countsRates(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("one goroutine repeats what other tests do once: the race detector finds nothing there, and takes minutes")
	}
}
