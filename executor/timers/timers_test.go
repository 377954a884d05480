package timers

import (
	"testing"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// The driver tells launches by the ways in which the loop calls. Neither knows the other.
func TestWays(t *testing.T) {
	if native.Ways != invocations.Ways {
		t.Errorf("the loop calls in %d ways, and launches are told by %d", native.Ways, invocations.Ways)
	}
}
