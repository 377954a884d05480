//go:build linux && (amd64 || arm64)

package native

import (
	"testing"
	"time"
)

// TestChainTakesItsCycles compares the chain with a loop that takes one cycle a turn, or two on some processors. The
// clock that probes show would be wrong by the same factor.
func TestChainTakesItsCycles(t *testing.T) {
	if clock := CalibrateClock(5 * time.Millisecond); !clock.counts() {
		t.Skipf("the clock %s is too coarse for probes", clock.Name)
	}
	const times = 10 // so long that reading the counter hardly matters
	turns := leastTicks(func() uint64 {
		start := counter()
		knownLoop(times * chainCycles)
		return counter() - start
	})
	adds := leastTicks(func() uint64 { return chain(times * chainRounds) })
	if ratio := adds / turns; !(ratio > 0.4 && ratio < 1.6) {
		t.Errorf("%d dependent additions take %g ticks, %[1]d turns of a loop %[3]g", times*chainCycles, adds, turns)
	}
}
