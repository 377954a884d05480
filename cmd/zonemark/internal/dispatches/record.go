package dispatches

import (
	"context"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// recordPass lets the tools of the runtimes profile the invocations that are to be recorded.
type recordPass struct {
	recorded  map[string]bool // by id
	executors hosting.Starters
	hosting   hosting.Options
	line      *cli.ProgressLine
}

// run has the type driver.DispatchPass. A failure in it becomes a note of the result. An error is always the context's.
func (r *recordPass) run(ctx context.Context, whole *plan.Plan,
	done *journal.Done) (map[string]invocations.Profile, error) {
	part := &plan.Plan{}
	for _, p := range whole.All() {
		if r.recorded[p.Invocation.ID] {
			part.Add(*p)
		}
	}
	starter := r.executors.Recorder(r.hosting)
	defer starter.Close()
	pass := &driver.TracePass{Executor: starter, Build: cli.Version(), Words: cli.Remedy, Calls: ProfiledCalls, Tools: true,
		Progress: hosting.ShowProgress(r.line)}
	attempts, err := pass.Run(ctx, part, done)
	r.line.Clear()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := map[string]invocations.Profile{}
	for _, p := range part.All() {
		id := p.Invocation.ID
		if done.Has(id) {
			continue
		}
		attempt := attempts[id]
		switch {
		case attempt.Profile != nil:
			profile := *attempt.Profile
			if attempt.Note != "" {
				profile.Notes = append(profile.Notes, attempt.Note)
			}
			found[id] = profile
			continue
		// No executor that records can be started, but calls can still be measured.
		case attempt.Reason == "" && err != nil:
			attempt.Reason = err.Error()
		}
		found[id] = invocations.Profile{Notes: []string{"no dispatches: the profiled pass failed: " + attempt.Reason}}
	}
	return found, nil
}
