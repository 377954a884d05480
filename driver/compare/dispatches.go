package compare

import (
	"cmp"
	"math"
	"slices"

	"zonemark/invocations"
)

// DispatchChange is a dispatch whose time changed, or that only one side has. Times are nanoseconds of a call: the median
// of an issue times the number of issues; 0 on the side that lacks it.
type DispatchChange struct {
	Name         string
	OldNS, NewNS float64
}

// ChangeNS returns how much longer a call takes by this dispatch.
func (d DispatchChange) ChangeNS() float64 { return d.NewNS - d.OldNS }

// least share of the whole change that a dispatch is named for.
const leastShare = 0.05

// changedDispatches returns the dispatches whose times differ by more than the margin and that make up a share of the
// whole change, largest change first. Dispatches with one name count together, since numbers move when others come.
func changedDispatches(before, after []invocations.DispatchRecord, margin float64) []DispatchChange {
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	byName := map[string]*DispatchChange{}
	var order []*DispatchChange
	add := func(list []invocations.DispatchRecord, side func(*DispatchChange) *float64) {
		for _, d := range list {
			if d.MedianNS == nil {
				continue
			}
			c := byName[d.Name]
			if c == nil {
				c = &DispatchChange{Name: d.Name}
				byName[d.Name] = c
				order = append(order, c)
			}
			*side(c) += *d.MedianNS
		}
	}
	add(before, func(c *DispatchChange) *float64 { return &c.OldNS })
	add(after, func(c *DispatchChange) *float64 { return &c.NewNS })
	whole := 0.0
	for _, c := range order {
		whole += math.Abs(c.ChangeNS())
	}
	var changed []DispatchChange
	for _, c := range order {
		if change := math.Abs(c.ChangeNS()); change > margin*c.OldNS && change >= leastShare*whole {
			changed = append(changed, *c)
		}
	}
	slices.SortStableFunc(changed, func(a, b DispatchChange) int {
		return cmp.Compare(math.Abs(b.ChangeNS()), math.Abs(a.ChangeNS()))
	})
	return changed
}
