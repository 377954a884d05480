package measuring

import (
	"context"
	"errors"
	"fmt"

	"zonemark/driver/farm"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// addShards adds the flags that divide a plan into parts for several runs, and that say which of them to measure.
func (f *Flags) addShards() {
	f.addDivision()
	f.Set.Int64Var(&f.Shard, "shard", 0, "the part to measure, from 0 to one less than --shards")
}

// addDivision adds the flags that divide a plan into parts.
func (f *Flags) addDivision() {
	s := f.Set
	s.Int64Var(&f.Shards, "shards", 0, "divide what is measured into this many parts of nearly equal cost, each for a run of "+
		"its own; groups stay whole; \"zonemark merge\" joins the journals")
	s.StringVar(&f.Costs, "costs", "", "divide by what the invocations cost in the run of this journal, instead of by "+
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
	case f.Shards < 1 || f.Shards > farm.MostShards:
		return fmt.Errorf("--shards: want 1 to %d", farm.MostShards)
	case f.Set.Lookup("shard") == nil: // the verb measures none
		return nil
	case !given("shard"):
		return fmt.Errorf("--shards needs the part that this run measures: --shard I, from 0 to %d", f.Shards-1)
	case f.Shard < 0 || f.Shard >= f.Shards:
		return fmt.Errorf("--shard %d: there is no such part: %d are counted from 0 to %d", f.Shard, f.Shards, f.Shards-1)
	}
	return nil
}

// divider returns what divides a plan of so many invocations, nil if it stays whole.
func (t *Task) divider(ctx context.Context, invocations int) (*farm.Divider, error) {
	if t.Shards == 0 {
		return nil, nil
	}
	if t.Costs == "" {
		return farm.NewDivider(invocations, nil), nil
	}
	costs, err := farm.ReadCosts(ctx, t.Costs)
	if err != nil {
		return nil, fmt.Errorf("--costs: %w", err)
	}
	return farm.NewDivider(invocations, costs), nil
}

// part makes the part of the plan that --shard names. It keeps no other invocations.
func (m *Measurement) part(ctx context.Context, outline *plan.Outline) (*plan.Plan, error) {
	s := m.scan(outline)
	if err := s.look(ctx, func(*invocations.Invocation) {}); err != nil {
		return nil, err
	}
	plan := outline.Part(s.division.Shard(int(m.Shard)))
	for p, err := range s.kept(ctx) {
		if err != nil {
			return nil, err
		}
		outline.Seal(p.Entry)
		plan.AddPart(p.place, p.Entry)
	}
	m.warn(plan.Warnings)
	m.note("%s", s.division.Share(int(m.Shard)))
	return plan, nil
}

// Divide divides what would be measured into shards, and measures nothing.
func (m *Measurement) Divide(ctx context.Context) (*farm.Division, error) {
	requests, _, err := m.provided(ctx)
	if err != nil {
		return nil, err
	}
	outline, err := m.outline(ctx, requests)
	if err != nil {
		return nil, err
	}
	s := m.scan(outline)
	err = s.look(ctx, func(*invocations.Invocation) {})
	return s.division, err
}
