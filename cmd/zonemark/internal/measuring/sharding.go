package measuring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zonemark/driver"
	"zonemark/driver/farm"
	"zonemark/invocations"
)

// addShards adds the flags that divide a plan into parts for several runs.
func (f *Flags) addShards() {
	s := f.Set
	s.Int64Var(&f.shards, "shards", 0, "divide what is measured into so many parts of nearly equal cost, of which this run "+
		"measures one; groups stay whole; \"zonemark merge\" joins the journals")
	s.Int64Var(&f.shard, "shard", 0, "the part to measure, from 0 to one less than --shards")
	s.StringVar(&f.costs, "costs", "", "divide by what the invocations cost in the run of this journal, instead of by "+
		"their limits of time; all parts need the same journal")
}

// checkShards checks the flags about shards against each other.
func (f *Flags) checkShards() error {
	given := f.Set.Changed
	switch {
	case !given("shards") && given("shard"):
		return errors.New("--shard needs the number of all parts: --shards N")
	case !given("shards") && given("costs"):
		return errors.New("--costs is for dividing: it needs --shards N")
	case !given("shards"):
		return nil
	case f.shards < 1:
		return errors.New("--shards: want at least 1")
	case !given("shard"):
		return fmt.Errorf("--shards needs the part that this run measures: --shard I, from 0 to %d", f.shards-1)
	case f.shard < 0 || f.shard >= f.shards:
		return fmt.Errorf("--shard %d: there is no such part: %d are counted from 0 to %d", f.shard, f.shards, f.shards-1)
	}
	return nil
}

// divider returns what divides a plan of so many invocations, nil if it stays whole.
func (f *Flags) divider(invocations int) (*farm.Divider, error) {
	if f.shards == 0 {
		return nil, nil
	}
	if f.costs == "" {
		return farm.NewDivider(invocations, nil), nil
	}
	costs, err := farm.ReadCosts(f.costs)
	if err != nil {
		return nil, fmt.Errorf("--costs: %w", err)
	}
	return farm.NewDivider(invocations, costs), nil
}

// part makes the part of the plan that --shard names. It keeps no other invocations.
func (m *Measurement) part(ctx context.Context, outline *driver.Outline) (*driver.Plan, error) {
	s := m.scan(outline)
	if err := s.look(ctx, func(*invocations.Invocation) {}); err != nil {
		return nil, err
	}
	plan := outline.Part(s.division.Shard(int(m.shard)))
	for p, err := range s.kept(ctx) {
		if err != nil {
			return nil, err
		}
		outline.Seal(p.Planned)
		plan.AddPart(p.place, p.Planned)
	}
	m.warn(plan.Warnings)
	m.note("%s", s.shareText())
	return plan, nil
}

// shareText says what the shard has to do.
func (s *planScan) shareText() string {
	part := s.division.Parts[s.shard]
	by := "by their limits"
	if s.costs != "" {
		by = "by " + s.costs
	}
	return fmt.Sprintf("shard %d of %d, counted from 0: %d of %d invocations, about %s %s; the longest shard takes %s",
		s.shard, s.shards, part.Invocations, len(s.ids), expectedText(part.Cost), by, expectedText(s.division.Longest()))
}

// expectedText returns a time that is not exact: in whole seconds, from a minute on in whole minutes.
func expectedText(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%dm", d.Round(time.Minute)/time.Minute)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
