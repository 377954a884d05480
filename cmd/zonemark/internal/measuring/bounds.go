package measuring

import (
	"fmt"
	"time"

	"zonemark/driver/report"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// MostLaunches of an invocation may be asked for.
const MostLaunches = 10_000

// bounds are what invocations of a plan from elsewhere may take of this machine.
type bounds struct {
	invocations.Limits
	told map[string]bool // flags that allow more, which were named
	note func(format string, args ...any)
}

// bounds returns what the user's flags allow. Without --memory, it is what an executor may take that has no limit of
// its own; hosts know theirs.
func (m *Measurement) bounds() *bounds {
	b := &bounds{Limits: m.Base.Limits, told: map[string]bool{}, note: m.note}
	if b.MemoryBytes == 0 && len(m.Via) == 0 {
		b.MemoryBytes = platform.AvailableMemoryBytes() / 4 * 3
	}
	return b
}

// apply has an invocation keep the lesser of its own limits and these. One that has none gets these.
func (b *bounds) apply(inv *invocations.Invocation) {
	l, m := &inv.Limits, &inv.Measure
	duration := func(n int64) string { return time.Duration(n).String() }
	number := func(n int64) string { return fmt.Sprint(n) }
	b.least(&l.MemoryBytes, b.MemoryBytes, "memory", report.Bytes)
	b.least(&l.Threads, b.Threads, "threads", number)
	b.least(&l.TimeoutNS, b.TimeoutNS, "timeout", duration)
	l.BuildNS = b.BuildNS
	m.MaxTimeNS = min(m.MaxTimeNS, l.TimeoutNS/2) // so that it ends by itself
	m.MinTimeNS = min(m.MinTimeNS, m.MaxTimeNS)
	m.Launches = min(m.Launches, MostLaunches)
}

// least sets a limit to what is allowed if it is more, or none, and tells of the first one that is more.
func (b *bounds) least(limit *int64, allowed int64, flag string, text func(int64) string) {
	switch {
	case allowed <= 0 || *limit > 0 && *limit <= allowed:
		return
	case *limit > allowed && !b.told[flag]:
		b.told[flag] = true
		b.note("the bundle asks for %s %s, and gets %s; --%s allows more", flag, text(*limit), text(allowed), flag)
	}
	*limit = allowed
}
