package measuring

import (
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
	// RaceVariants is the number of variants from which a group races by itself: fewer take no longer than ten seconds or
	// so, and users who compare a few functions want to know all of them precisely.
	RaceVariants = 17
	// raceLaunches is how many launches those that are left in a race have at most, in those that they have at least.
	raceLaunches = 3
	// LeastRaced is the number of launches that a race needs: two looks, and a launch of full length.
	LeastRaced = 3
)

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
	if c.Spread || p.Verdict != "" || m.CheckOnly || m.Iterations > 0 || m.Launches < LeastRaced {
		return false
	}
	return c.Race == RaceOn || c.Race == RaceAuto && open && size.runnable >= RaceVariants
}
