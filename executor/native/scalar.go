package native

import (
	"time"

	"zonemark/invocations/stats"
)

const (
	// ScalarWork is how long a core makes scalar additions until its clock is that of scalar code. Cores lower their clock
	// for wide vector units within 1 to 2 ms, and raise it 1 ms after the last of them.
	ScalarWork = 2 * time.Millisecond
	// scalarProbes are chains whose median is the clock of scalar code.
	scalarProbes = 20
)

const (
	// scalarGap is the longest time between two chains of additions in which nobody else had the core, and its clock.
	scalarGap = 20 * time.Microsecond
	// scalarTries are the stretches of scalar work, each ended by somebody else, after which the look is given up.
	scalarTries = 10
)

// scalarStretch tells when a core has made scalar additions for so long, the last ScalarWork of it without a break.
type scalarStretch struct {
	wanted time.Duration
	all    time.Duration // without breaks
	made   time.Duration // since the latest break
	last   time.Time     // end of the latest chain
	breaks int
}

// pass takes note of a chain that has ended now.
func (s *scalarStretch) pass(now time.Time) {
	took := now.Sub(s.last)
	if s.last = now; took > scalarGap {
		s.made, s.breaks = 0, s.breaks+1
		return
	}
	s.made, s.all = s.made+took, s.all+took
}

func (s *scalarStretch) done() bool {
	return s.made >= ScalarWork && s.all >= s.wanted || s.gaveUp()
}

func (s *scalarStretch) gaveUp() bool { return s.breaks >= scalarTries }

// ScalarGHz returns the clock of the core after so long a time of scalar additions, the last ScalarWork of it without a
// break; 0 if others take the core all the time.
func (c *Canary) ScalarGHz(atLeast time.Duration) float64 {
	work := scalarStretch{wanted: atLeast, last: time.Now()}
	for !work.done() {
		c.Clock()
		work.pass(time.Now())
	}
	if work.gaveUp() {
		return 0
	}
	var ghz [scalarProbes]float64
	for i := range ghz {
		ghz[i] = c.Clock()
	}
	return stats.Median(ghz[:])
}
