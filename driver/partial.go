package driver

import (
	"context"

	"zonemark/invocations"
)

// keepPartial keeps what is known of invocations that were interrupted between their launches. The journal does not have
// it: --resume measures them anew.
func (r *run) keepPartial(ctx context.Context, open ...*launched) {
	if ctx.Err() == nil {
		return
	}
	for _, l := range open {
		if l.MedianNS() == 0 || l == r.unfinished || r.isFinished(l.index) {
			continue
		}
		result := l.Merge(r.plan.At(l.index).Invocation.Measure, r.Machine)
		if result.Status == invocations.OK {
			*r.partial = append(*r.partial, *r.record(l.index, result))
		}
	}
}
