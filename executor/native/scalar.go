package native

import (
	"math"
	"slices"
	"time"

	"zonemark/invocations/stats"
)

const (
	// ScalarWork is how long a core makes scalar additions until its clock is that of scalar code. Cores lower their clock
	// for wide vector units within 1 to 2 ms, and raise it 1 ms after the last of them.
	ScalarWork = 2 * time.Millisecond
	// scalarTail is the part of it, at its end, whose chains tell the clock. A host moves the clock each few
	// milliseconds: the last 40 µs typically differ twice as much from the batches of scalar code before them.
	scalarTail = time.Millisecond
)

const (
	// scalarGap is the longest time between two chains of additions in which nobody else had the core, and its clock.
	scalarGap = 20 * time.Microsecond
	// scalarTries are the stretches of scalar work, each ended by somebody else, after which the look is given up.
	scalarTries = 10
	briefTries  = 2 // the same of a brief look
)

// scalarStretch tells when a core has made scalar additions for so long, the last ScalarWork of it without a break.
type scalarStretch struct {
	wanted time.Duration
	tries  int           // breaks after which it gives up
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

func (s *scalarStretch) gaveUp() bool { return s.breaks >= s.tries }

// ScalarLook is what scalar additions show of a core.
type ScalarLook struct {
	GHz float64 // clock; 0: others take the core all the time
	// Stops is by how much stops of the thread lengthen a batch, as a fraction. A host stops its guests for some
	// microseconds now and then. A probe seldom sees that; a batch of 100 µs always has a share of it.
	Stops float64
}

// Scalar looks at the core after so long a time of scalar additions, the last ScalarWork of it without a break. batchNS
// is the length of the batches that stops may lengthen. A brief look gives up sooner, and takes no further time for
// stops.
func (c *Canary) Scalar(atLeast time.Duration, brief bool, batchNS float64) ScalarLook {
	work, ns := scalarStretch{wanted: atLeast, tries: scalarTries, last: time.Now()}, make([]float64, 0, 4096)
	if brief {
		work.tries = briefTries
	}
	for longer := brief; !work.done(); {
		took := chainCycles / c.Clock()
		if work.pass(time.Now()); work.made == 0 {
			ns = ns[:0]
		} else {
			ns = append(ns, took)
		}
		if work.done() && !longer && stopsOf(ns, batchNS) > 0 {
			longer, work.wanted = true, work.all+stopsWork
		}
	}
	if work.gaveUp() {
		return ScalarLook{}
	}
	return ScalarLook{chainCycles / stats.Typical(tailOf(ns, work.made)), stopsOf(ns, batchNS)}
}

// tailOf returns the times of the chains of scalarTail, by those of so long a time.
func tailOf(ns []float64, made time.Duration) []float64 {
	tail := math.Ceil(float64(len(ns)) * float64(scalarTail) / float64(made))
	return ns[len(ns)-min(len(ns), int(tail)):]
}

const (
	stopsWork   = 6 * time.Millisecond // of further additions if some were stopped: stops are rare, and their share scatters
	leastStops  = 0.002                // less is not told from the clock's steps
	fewestParts = 10                   // groups of chains whose median tells what a batch has of stops
	leastChains = 8                    // of a group, most of which nothing stops
)

// stopsOf returns by how much stops lengthen batches, by the times of chains in turn: groups of them that take as long as
// a batch are compared with the chains among them that nothing stopped, since the clock may move from group to group.
func stopsOf(ns []float64, batchNS float64) float64 {
	if len(ns) < fewestParts*leastChains {
		return 0
	}
	each := int(batchNS/stats.Median(ns) + 0.5)
	long := each > len(ns)/fewestParts
	if long {
		each = len(ns) / fewestParts
	}
	if each < leastChains {
		return 0 // most of such batches have no stop
	}
	var shares []float64
	for group := range slices.Chunk(ns, each) {
		if len(group) == each {
			shares = append(shares, mean(group)/stats.Typical(group)-1)
		}
	}
	share := stats.Median(shares)
	if long {
		if seldom(shares, batchNS/(float64(each)*stats.Median(ns))) {
			return 0
		}
		share = mean(shares)
	}
	if share < leastStops {
		return 0
	}
	return share
}

// seldom reports whether most batches of so many groups have no stop, by the share of groups that have one. The median of
// batches is then as long as without stops.
func seldom(shares []float64, groups float64) bool {
	stopped := 0.0
	for _, s := range shares {
		if s >= leastStops {
			stopped += 1 / float64(len(shares))
		}
	}
	return math.Pow(1-stopped, groups) > 0.5
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}
