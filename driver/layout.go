package driver

import (
	"math/rand/v2"

	"zonemark/invocations"
)

// layOut sets where code and data of a launch lie. It follows from the seed and the number of the launch: it can be
// repeated, and what is compared launch by launch has the same layouts. Both sides of a pair have those of its first
// side.
func (r *run) layOut(l *launched, m *invocations.Measure, launch int) {
	of := m
	if l.like != nil {
		first := r.plan.At(l.like.index).Invocation.Measure
		of = &first
	}
	if m.Placement = of.Placement; m.Placement == invocations.Fixed {
		m.PageOffset, m.StackOffset, m.Place = 0, 0, 0
		return
	}
	draw := rand.New(rand.NewPCG(of.Seed, uint64(launch)))
	const steps = invocations.PlacementPage / invocations.LayoutStep
	m.PageOffset = draw.Int64N(steps) * invocations.LayoutStep
	m.StackOffset = draw.Int64N(steps) * invocations.LayoutStep
	m.Place = max(1, draw.Uint64()) // 0 stands for no place
}
