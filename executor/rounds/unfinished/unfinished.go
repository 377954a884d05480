// Package unfinished finds out whether calls leave work to threads, which goes on when the calls have returned. The more
// calls there are, the longer it goes on, so that whoever makes many of them waits for it in the end; or it slows further
// calls down, which short batches with pauses between them do not show. It does not know how calls are made.
package unfinished

import (
	"time"

	"zonemark/executor/platform"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

const (
	// window is how long threads are watched for one answer: the system adds the time of a running thread only at its
	// ticks, up to 10 ms apart.
	window = 12 * time.Millisecond
	// busyShare is the share of a window above which threads work in it. Those that only look for work now and then take
	// less.
	busyShare = 0.1
	// idle windows in a row show that threads rest: the system may tell of the time of a single one late.
	idle = 2
	// longer is by how many windows threads work longer after many calls than after a single one, if calls leave work.
	longer = 4
	// longest is after how many windows nobody waits for threads to rest. Those of some runtimes wait for more work for
	// 200 ms, and take a CPU for that.
	longest = 40
	// workShare is the share of these windows that work takes at least, where other processes have the CPUs most of the
	// time. A thread that calls have woken in vain may wait for a CPU as long, to find that there is nothing to do.
	workShare = 0.03
	// growth is how many times as many calls each attempt makes as the one before.
	growth = 8
	// longWall is the time of calls after which no further ones are made: what they leave by then shows.
	longWall = 200 * time.Millisecond
	// leastShare is the share of the time of calls that matters.
	leastShare = 0.1
	// slower is how many times as long calls take in a row as in batches, if earlier calls slow them down.
	slower = 1.5
	// parts are those of many calls in a row, of which the middle one tells how long a call takes.
	parts = 16
	// shortRows are the rows of a few calls, with pauses between, that many in a row are compared with.
	shortRows = 9
	// leftShare is the share of the time of calls in a row that threads work on for each of a few calls, at least, once
	// these have returned: those that were put off while the calls were made.
	leftShare = 0.25
	// besideCPUs is how many CPUs other processes may use where threads seem to wait instead: a row of calls that gives
	// way to others takes longer than a few calls after a pause.
	besideCPUs = 0.2
)

// Look makes calls, and watches the threads of the process once these have returned.
type Look struct {
	Run    func(calls int64) error // makes calls
	Others func() (ns int64)       // CPU time that all threads but the calling one have taken so far
	Ready  func() bool             // whether such threads run or wait for a CPU, other than those of Go
	Now    func() time.Time
	Sleep  func(time.Duration)
	// Contention returns what the system has counted of other processes so far.
	Contention func() platform.Contention
}

// after is what was seen of the threads after some calls had returned.
type after struct {
	calls   int64
	wall    time.Duration // of the calls
	each    float64       // time of one of the calls, in nanoseconds, in the middle one of the parts
	beside  float64       // CPUs that other processes used meanwhile
	crowded bool          // they left none
	rest
}

// rest is what threads have done until they rested.
type rest struct {
	busy   int   // windows until they rested; longest if they did not
	usedNS int64 // CPU time of all threads
}

// perCall returns the CPU time of threads for each call, beyond what they take after one.
func (a after) perCall(one after) time.Duration {
	return time.Duration((a.usedNS - one.usedNS) / (a.calls - one.calls))
}

// Found is what was found of calls.
type Found struct {
	// PerCall is how much CPU time threads take for each call once the calls have returned. It is 0 if they take none, or
	// if that cannot be told, since they never rest.
	PerCall time.Duration
	most    after // the most calls in a row
}

// Find makes calls until it is known whether they leave work. The calls made before must be few.
func (l *Look) Find() (Found, error) {
	if l.untilRest().busy == longest {
		return Found{}, nil
	}
	one, err := l.watch(1)
	if err != nil || one.busy == longest || one.busy < longer && one.wall >= longWall {
		return Found{}, err
	}
	shortest := one.wall // of a call: other processes may have had the CPUs meanwhile
	for calls := int64(1); ; {
		most := max(2, int64(longWall/max(1, shortest))+1)
		calls = min(most, calls*growth)
		many, err := l.watch(calls)
		shortest = min(shortest, many.wall/time.Duration(calls))
		if err != nil {
			return Found{}, err
		}
		if many.leavesMore(one) {
			if each, err := l.confirm(calls); err != nil || each > 0 {
				return Found{each, many}, err
			}
		}
		if many.wall >= longWall || calls == most && many.wall >= longWall/2 {
			return Found{0, many}, nil
		}
	}
}

// confirm makes a single call and many once more, whose difference others may have made, and returns what one leaves.
func (l *Look) confirm(calls int64) (time.Duration, error) {
	one, err := l.watch(1)
	if err != nil {
		return 0, err
	}
	many, err := l.watch(calls)
	if err != nil || !many.leavesMore(one) {
		return 0, err
	}
	return many.perCall(one), nil
}

// InARow returns the time of a call if there are many in a row, in nanoseconds, with the loop around calls, if that is much
// longer than batchNS, that of a call in the batches that were measured meanwhile; else 0. It makes such calls again, and
// a few at a time, since others may have slowed them down.
func (l *Look) InARow(f Found, batchNS float64) (ns float64, err error) {
	if !(f.most.tells() && f.most.each > slower*batchNS) {
		return 0, nil
	}
	again, err := l.watch(f.most.calls)
	if ns = min(f.most.each, again.each); err != nil || !(again.tells() && ns > slower*batchNS) {
		return 0, err
	}
	var short []float64
	left := 0.0 // to threads by one of few calls
	for range shortRows {
		few, err := l.watch(growth)
		if err != nil {
			return 0, err
		}
		short, left = append(short, few.each), left+float64(few.usedNS)/(growth*shortRows)
	}
	if !(ns > slower*stats.Median(short)) || left < leftShare*ns && max(f.most.beside, again.beside) > besideCPUs {
		return 0, nil
	}
	return ns, nil
}

// tells reports whether the time of one of the calls tells something: there are many, and others did not have the CPUs.
func (a after) tells() bool { return a.calls > growth && a.wall >= window && !a.crowded }

func (a after) leavesMore(one after) bool {
	more, took := a.busy-one.busy, a.usedNS-one.usedNS
	longerNS := float64(time.Duration(more) * window)
	return more >= longer && longerNS > leastShare*float64(a.wall) && float64(took) > workShare*longerNS
}

// watch makes calls, and counts the windows until threads rest.
func (l *Look) watch(calls int64) (after, error) {
	a, before, begun := after{calls: calls}, l.Contention(), l.Now()
	var each []float64
	for size, made := max(growth, (calls+parts-1)/parts), int64(0); made < calls; made += size {
		size = min(size, calls-made)
		if err := l.Run(size); err != nil {
			return after{}, err
		}
		wall := l.Now().Sub(begun)
		each = append(each, float64(wall-a.wall)/float64(size))
		a.wall = wall
	}
	a.each = stats.Median(each)
	now, took := l.Contention(), float64(a.wall)
	a.beside, a.crowded = float64(now.Others(before))/took, now.Crowded(before, took)
	a.rest = l.untilRest()
	return a, nil
}

// untilRest watches threads until they rest.
func (l *Look) untilRest() (r rest) {
	first := l.Others()
	for windows := 1; windows <= longest && windows-r.busy <= idle; windows++ {
		at, used := l.Now(), l.Others()
		l.Sleep(window)
		now := l.Others()
		if r.usedNS = now - first; float64(now-used) > busyShare*float64(l.Now().Sub(at)) || l.Ready() {
			r.busy = windows
		}
	}
	return r
}

// Note says what calls leave; "" if that is nothing.
func (f Found) Note() string {
	if f.PerCall <= 0 {
		return ""
	}
	return "calls leave work to threads, which take about " + figures.Time(float64(f.PerCall)) + " of CPU time a call when " +
		"the calls have returned: the time is without that; have the function wait for its work"
}

// RowNote says how long calls take in a row.
func RowNote(ns float64) string {
	return "many calls in a row take " + figures.Time(ns) + " each, since threads still do the work of earlier ones: the " +
		"time is that of a few calls after a pause; have the function wait for its work"
}
