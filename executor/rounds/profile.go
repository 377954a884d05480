package rounds

import "zonemark/invocations"

// profile fills in the dispatches of a measured invocation, if they were asked for and the runtime has a profiler.
func (s *Session) profile(r *invocations.Result, started func(phase string)) error {
	calls := s.inv.Measure.ProfileCalls
	if calls <= 0 || s.call.Profile == nil {
		return nil
	}
	started("profile")
	around := s.instruments.around
	start, before := around.now(), around.contention()
	p, err := s.call.Profile(calls)
	if err != nil {
		return err
	}
	if around.contention().KeptWaiting(before, float64(around.now().Sub(start))) {
		p.Contended, p.Notes = true, append(p.Notes, "while its dispatches were timed, "+
			"threads waited for CPUs that other work had: the table of dispatches is that of a loaded machine")
	}
	EnterProfile(r, p)
	return nil
}

// EnterProfile puts what a runtime's profiler has found into a result.
func EnterProfile(r *invocations.Result, p invocations.Profile) {
	r.Notes = append(r.Notes, p.Notes...)
	r.Profile, r.Profile.Source, r.Profile.Notes = p, invocations.ByProfiler, nil
	if p.Partial {
		r.AddVerdict(invocations.PartialTrace)
	}
}
