package measuring

import (
	"context"
	"runtime"
	"sync"

	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations"
)

// BuildAhead has the artifacts of requests built, several at a time, also for profilers if dispatches are wanted. A
// plan then finds them in the cache: it has them built one after the other. What fails is left to the plan, which says
// it for each invocation. Provide comes before it. The error is that of the context, or of the cache.
func (m *Measurement) BuildAhead(ctx context.Context, requests []invocations.Invocation) error {
	profiled := m.Dispatches != runtimes.SourceOff && !m.Base.Measure.CheckOnly
	next := make(chan *invocations.Invocation)
	var workers sync.WaitGroup
	for range min(runtime.NumCPU(), len(requests)) {
		builder := m.Executors.Builder(m.Hosting(m.variables, ""))
		defer builder.Close()
		planner, err := m.planner(builder)
		if err != nil {
			close(next)
			workers.Wait()
			return err
		}
		planner.Say = func(string, ...any) {}
		workers.Go(func() {
			for inv := range next {
				list := []invocations.Artifact{inv.Artifact}
				if a, needed := m.Runtimes.ProfileBuild(inv.Runtime, inv.Artifact); needed && profiled {
					list = append(list, a)
				}
				planner.BuildAll(ctx, inv.Runtime, list)
			}
		})
	}
	for i := range requests {
		m.working()("building %d of %d: %s", i+1, len(requests), requests[i].Name)
		next <- &requests[i]
	}
	close(next)
	workers.Wait()
	return ctx.Err()
}
