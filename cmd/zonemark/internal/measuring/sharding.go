package measuring

import (
	"context"
	"fmt"

	"zonemark/driver/farm"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

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
	asked, err := m.provided(ctx)
	if err != nil {
		return nil, err
	}
	outline, err := m.outline(ctx, asked)
	if err != nil {
		return nil, err
	}
	s := m.scan(outline)
	err = s.look(ctx, func(*invocations.Invocation) {})
	return s.division, err
}
