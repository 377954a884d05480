package driver

import (
	"context"
	"maps"

	"zonemark/driver/journal"
	"zonemark/driver/launch"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// session is what is known when a run begins. It does not change.
type session struct {
	Execution
	plan    *plan.Plan
	journal *journal.Writer // a temporary one if nobody wants to keep the results
	done    *journal.Done   // results of an earlier run
}

// measure measures the invocations of the plan that are not done. It returns the results so far even with an error. The
// error is the context's or one of the driver, for example if the journal cannot be written.
func (s *session) measure(ctx context.Context) (Outcome, error) {
	out := Outcome{Environment: s.plan.Environment}
	still, stop := launch.WatchStandstill()
	defer stop()
	f := newFleet(s, still)
	err := f.begin(ctx)
	if out.refused = err != nil; err == nil {
		err = f.measure(ctx)
	}
	f.close()
	out.Executors, out.Complete = f.starts(), err == nil
	if counters := f.members[0].worker.Counters(); counters != "" && len(s.Hosts) == 0 { // the sandbox may forbid some
		out.Environment = maps.Clone(out.Environment)
		out.Environment["counters"] = counters
	}
	out.Partial, out.Records = invocations.RecordsOf(f.recorder.partial...), f.recorder.records.Records()
	out.kept = out.Records.Len()
	return out, err
}

// trace makes the passes and returns the profiles that they found, by id.
func (s *session) trace(ctx context.Context) (map[string]invocations.Profile, error) {
	found := map[string]invocations.Profile{}
	for _, pass := range s.Passes {
		traced, err := pass(ctx, s.plan, s.done)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, traced)
	}
	return found, nil
}
