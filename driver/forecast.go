package driver

import (
	"time"

	"zonemark/driver/combine"
	"zonemark/invocations"
)

// forecast tells how long a run will still take. The hosts of a run share it.
type forecast struct {
	begun   time.Time
	workers int // hosts that measure at the same time

	unfinished time.Duration // what the invocations without a result take by their limits
	unlimited  int           // of these, those without a limit
	// What the finished ones were expected to take, and what they took.
	expected, spent time.Duration
	open            time.Duration // spent on invocations that have no result yet
}

// add takes note of an invocation that each of so many hosts will measure.
func (f *forecast) add(m *invocations.Measure, times int) {
	f.unfinished += time.Duration(times) * combine.Expected(m)
	if unlimited(m) {
		f.unlimited += times
	}
}

// unlimited reports whether nothing tells how long an invocation takes at most.
func unlimited(m *invocations.Measure) bool { return m.MaxTimeNS <= 0 && !m.CheckOnly }

// launched takes note of a launch.
func (f *forecast) launched(took time.Duration) { f.open += took }

// finished takes note of the result of an invocation, which took so long in all.
func (f *forecast) finished(m *invocations.Measure, took time.Duration) {
	expected := combine.Expected(m)
	f.unfinished -= expected
	if !m.CheckOnly { // it was launched
		f.open -= took
	}
	if unlimited(m) {
		f.unlimited--
		return
	}
	f.expected, f.spent = f.expected+expected, f.spent+took
}

// left returns how long the run will still take: at most, by the limits, as long as nothing is finished; then about, as
// what is finished took. It is not less than what the present invocation takes at least. It returns 0 if that is not
// known.
func (f *forecast) left(least time.Duration) (left time.Duration, atMost bool) {
	if f.unlimited > 0 {
		return 0, false
	}
	share := 1.0
	if atMost = f.expected <= 0; !atMost {
		share = float64(f.spent) / float64(f.expected)
	}
	left = time.Duration(share*float64(f.unfinished)) - f.open
	return max(left/time.Duration(f.workers), least, 0), atMost
}
