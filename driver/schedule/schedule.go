// Package schedule decides what is launched next, and when an invocation has enough launches. It starts nothing and
// knows no executor, no clock and no journal: it is asked what comes next, and told what came of it.
package schedule

import (
	"math/rand/v2"

	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// Strategy decides about some invocations: in which order they are launched, and when each has enough launches. It is
// asked and told by turns: Next, and when that launch is made and its results are in its series, Made. One goroutine at
// a time uses it.
type Strategy interface {
	// Next returns the next launch; nil if every invocation is finished.
	Next() *Launch
	// Made takes note that the launch is made, and returns which invocations are finished by it.
	Made() []Finished
	// Open returns those that are not finished.
	Open() []*Series
}

// Kind is a kind of launch.
type Kind int

// The kinds of launches.
const (
	Alone    Kind = iota // one invocation is measured in an executor
	Called               // one invocation is called once, in an executor that has called others before
	Together             // both sides of a pair are measured at the same time, each in an executor, by turns
)

// Launch is what comes next.
type Launch struct {
	Kind   Kind
	Series []*Series // one, or the two sides of a pair
	Number int       // 0-based: how often the invocation was launched before
	// Supervised has the sandbox tell what it refuses.
	Supervised bool
	// Fresh says that nothing which was measured before may have used its executor.
	Fresh bool
	// Shared says that an executor may measure it after others of the same artifact.
	Shared bool
	Short  bool   // it is shorter than others
	Look   LookAt // of a race
	// Following is likely to be launched next, so that its executor can be started ahead; nil: nobody knows.
	Following           *Series
	FollowingSupervised bool

	// First is the side that begins, Turns the number of turns of each side, and Steps says that calls are short enough
	// to make batches by turns. They are those of launches of the kind Together.
	First, Turns int
	Steps        bool
}

// Finished is an invocation that needs no further launch, or cannot have one.
type Finished struct {
	*Series
	Dropped *invocations.Dropped // by a race; nil: it was not
	AlsoRan bool                 // it was only left out, and may be as good as the best
}

// Site is where invocations are measured, as far as strategies must know it. It is the same for all that a worker
// measures.
type Site struct {
	Plan   *plan.Plan
	Known  *machine.Knowledge // of the machine; nil: nothing
	Random *rand.Rand
	Steps  bool // the system can make batches of two executors by turns
	Top    int  // number of the best that races look for; 0: one
}

// Blocks returns the strategy by which a worker measures some blocks of a plan, which are called once or none of them:
// races first, each for itself, and then all others together.
func (s *Site) Blocks(blocks [][]int) Strategy {
	if s.Plan.At(blocks[0][0]).Invocation.Measure.CheckOnly {
		return s.newOnce(blocks[0])
	}
	var list []Strategy
	var others []int
	for _, block := range blocks {
		races, rest := s.races(block)
		for _, variants := range races {
			list = append(list, s.newRace(variants))
		}
		others = append(others, rest...)
	}
	return &sequence{append(list, s.newWindow(others))}
}

// Supervises reports whether first calls are made under supervision, which shows what the sandbox refuses. Of a fixed
// number of calls, all are timed, and supervision would slow them down.
func Supervises(m *invocations.Measure) bool { return m.CheckOnly || m.Iterations == 0 }

// sequence follows strategies one after the other.
type sequence struct {
	list []Strategy // the first one is followed now
}

// Next returns the next launch of the first strategy that has one.
func (s *sequence) Next() *Launch {
	for ; len(s.list) > 0; s.list = s.list[1:] {
		if next := s.list[0].Next(); next != nil {
			return next
		}
	}
	return nil
}

// Made tells the strategy whose launch it was.
func (s *sequence) Made() []Finished { return s.list[0].Made() }

// Open returns those of all strategies.
func (s *sequence) Open() (open []*Series) {
	for _, one := range s.list {
		open = append(open, one.Open()...)
	}
	return open
}
