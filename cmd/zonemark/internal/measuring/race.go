package measuring

import (
	"errors"
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/plan"
)

// Race says whether the variants of groups race.
type Race string

// Whether variants race.
const (
	RaceAuto Race = "auto" // those of large groups
	RaceOn   Race = "on"
	RaceOff  Race = "off"
)

const (
	// raceVariants is the number of variants from which a group races by itself: fewer take no longer than ten seconds or
	// so, and users who compare a few functions want to know all of them precisely.
	raceVariants = 17
	// raceLaunches is how many launches those that are left in a race have at most, in those that they have at least.
	raceLaunches = 3
	// leastRaced is the number of launches that a race needs: two looks, and a launch of full length.
	leastRaced = 3
)

// addRace adds how the best of a group are found.
func (f *Flags) addRace() {
	s := f.Set
	s.Var(cli.Choice[Race]{Value: &f.Race, Words: []Race{RaceAuto, RaceOn, RaceOff}}, "race",
		fmt.Sprintf("drop variants of a group as soon as they cannot be the best, and measure the others precisely; off: "+
			"measure all precisely; auto: on for groups of %d or more, unless --launches is given", raceVariants))
	s.Int64Var(&f.Top, "top", f.Top, "number of the best that a race looks for; turns races on")
}

// checkRace checks the flags about races against each other.
func (f *Flags) checkRace() error {
	if f.Set.Changed("top") {
		if f.Race == RaceOff {
			return errors.New("--top is the number of the best that a race looks for; leave out --race off, or --top")
		}
		f.Race = RaceOn
	}
	launches := f.Base.Measure.Launches
	switch {
	case f.Race != RaceOn:
	case f.Top < 1:
		return errors.New("--top: want 1 or more")
	case launches > 0 && launches < leastRaced:
		return fmt.Errorf("--launches %d: a race needs %d at least, to drop anything with certainty", launches, leastRaced)
	case f.Spread:
		return errors.New("--spread has each host measure everything, and a race measures what may be the best; leave " +
			"out one of them")
	case f.Base.Measure.Iterations > 0 || f.Base.Measure.CheckOnly:
		return errors.New("a race measures until it is decided, not a fixed number of calls; leave out --race and --top")
	}
	return nil
}

// settle sets how many launches a variant has: what a comparison by pairs needs, if the user gave no number, and the
// most that it may have in a race. It reports whether it has set one.
func (c *planChecks) settle(p *plan.Entry) bool {
	m, size := &p.Invocation.Measure, c.groups[p.Invocation.Group]
	if p.Invocation.Group == "" || size.all < 2 {
		return false
	}
	open := m.Launches == 0
	if open {
		m.Launches = groupLaunches
	}
	if !c.races(p, size, open) {
		return open
	}
	if p.MostLaunches = m.Launches; open {
		p.MostLaunches *= raceLaunches
	}
	return true
}

// races reports whether a variant of a group of this size takes part in a race. open says that the user has given no
// number of launches.
func (c *planChecks) races(p *plan.Entry, size groupSize, open bool) bool {
	m := &p.Invocation.Measure
	if c.Spread || p.Verdict != "" || m.CheckOnly || m.Iterations > 0 || m.Launches < leastRaced {
		return false
	}
	return c.Race == RaceOn || c.Race == RaceAuto && open && size.runnable >= raceVariants
}
