package driver

import (
	"context"

	"zonemark/driver/executors"
	"zonemark/invocations"
)

// restoreAlike has both sides of a pair find restored arguments if the first launch of one of them has found that this
// matters. The first launch of the other side is made again: what restoring does to caches must be the same on both
// sides. A side without arguments that can be restored stays as it is.
func (r *run) restoreAlike(ctx context.Context, p *paired, launch int) error {
	for k, side := range p.sides {
		other := p.sides[1-k]
		if !measuredOnce(side) || !measuredOnce(other) || side.Results[0].Restored || !other.Results[0].Restored {
			continue
		}
		side.restore = true
		side.Forget()
		following := &r.plan.At(other.index).Invocation
		if err := r.launch(ctx, side, launch, executors.AllowanceOf(following)); err != nil {
			return err
		}
	}
	return nil
}

// measuredOnce reports whether an invocation has had one launch, which ended well.
func measuredOnce(l *launched) bool {
	return len(l.Results) == 1 && l.Results[0].Status == invocations.OK
}
