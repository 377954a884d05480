package reportpage

import (
	"testing"

	"zonemark/invocations"
)

// Each reason to stop is said in words. A launch under supervision is always repeated.
func TestEnough(t *testing.T) {
	for _, stop := range []invocations.Stop{
		invocations.StopPrecision, invocations.StopMaxTime, invocations.StopMinimum, invocations.StopIterations,
		invocations.StopLaunches, invocations.StopCheck, invocations.StopTrace, invocations.StopProfile, invocations.StopDropped,
	} {
		if enough[stop] == "" {
			t.Errorf("%s has no words", stop)
		}
	}
}
