package plan

import (
	"context"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// survey walks over the requests of an outline: it has artifacts described and finds what must be built.
type survey struct {
	*Outline
	descriptions int             // of artifacts
	readable     int             // artifacts of requests that were described
	paths        map[string]bool // of the artifacts of invocations
	asked        int             // number of requests
	reading      Patience
	building     Patience
	listed       map[string]bool          // keys of artifacts
	artifacts    []invocations.Invocation // the first invocation of each artifact that can run
	unvalued     unvalued
}

func newSurvey(o *Outline, asked Asked) *survey {
	return &survey{
		Outline: o, asked: asked.Count, reading: asked.Patience, building: Patience{}, paths: map[string]bool{},
		listed: map[string]bool{}, unvalued: unvalued{told: map[string]bool{}},
	}
}

// all walks over all requests and resolves them. If there is only one, or only one artifact, its error is that of the
// survey. If there are several, the others are measured, unless every request asks for something that its artifact
// lacks.
func (s *survey) all(ctx context.Context, executor *executors.Supervisor) error {
	var refused error // of the first request that asks for something that its artifact lacks
	var list []Entry
	position, fits := 0, false // some request matched a function
	for r, err := range s.requests {
		if err != nil {
			return err
		}
		position++
		if err := s.describe(ctx, executor, r); err != nil {
			if s.asked == 1 || ctx.Err() != nil {
				return err
			}
			s.note([]Entry{unreadable(r, err)})
			continue
		}
		planned, err := s.planned(list[:0], r)
		if err != nil {
			s.note([]Entry{unreadable(r, err)})
			refused = first(refused, s.planner.located(position-1, err))
			continue
		}
		s.note(planned)
		fits, list = fits || len(planned) > 0, planned
	}
	if refused != nil && (s.asked == 1 || !fits) {
		return refused
	}
	if len(s.found) == 1 {
		for _, one := range s.found {
			if one.err != nil {
				return one.err
			}
		}
	}
	return s.complaint()
}

func first(earlier, err error) error {
	if earlier != nil {
		return earlier
	}
	return err
}

// complaint returns an error if a selected function is nowhere, or if parameters have no values. An artifact that cannot
// be read may have the function.
func (s *survey) complaint() error {
	descriptions := map[string][]invocations.Description{}
	readable := true
	for key, one := range s.found {
		descriptions[key] = one.list
		readable = readable && one.err == nil
	}
	if err := missing(s.only, s.seen, descriptions, s.planner.Words); err != nil && readable {
		return err
	}
	return s.unvalued.err(s.planner.Words)
}

// describe has the artifact of a request described, unless one before it had the same.
func (s *survey) describe(ctx context.Context, executor *executors.Supervisor, r *invocations.Invocation) error {
	key := ArtifactKey(r)
	one, known := s.found[key]
	if !known {
		functions := s.only
		if r.Function != "" {
			functions = []string{r.Function}
		}
		one.list, one.err = s.planner.describe(ctx, executor, r.Runtime, r.Artifact, functions, s.reading[key])
		s.found[key] = one
		s.descriptions += len(one.list)
		if one.err == nil {
			s.readable++
		}
		for _, d := range one.list {
			s.Warnings = append(s.Warnings, d.Warnings...)
			s.needs[d.Artifact.Path] = s.needs[d.Artifact.Path] || d.NeedsBuild
		}
	}
	return one.err
}

// note notes the entries of a request in the plan.
func (s *survey) note(list []Entry) {
	s.count += len(list)
	for i := range list {
		inv := &list[i].Invocation
		key := ArtifactKey(inv)
		s.paths[inv.Artifact.Path] = true
		s.building.Add(key, inv)
		if list[i].Verdict != "" {
			continue
		}
		s.unvalued.add(&list[i], s.found[key].list)
		if !s.listed[key] {
			s.listed[key] = true
			s.artifacts = append(s.artifacts, *inv)
		}
	}
}

// build has the artifacts built that must be built. If one of several cannot be built, its functions fail.
func (s *survey) build(ctx context.Context, executor *executors.Supervisor) error {
	for i := range s.artifacts {
		inv := &s.artifacts[i]
		if !s.needs[inv.Artifact.Path] {
			continue
		}
		key := ArtifactKey(inv)
		b, err := s.planner.build(ctx, executor, inv.Runtime, inv.Artifact, s.building[key])
		switch {
		case err != nil && (s.readable == 1 || ctx.Err() != nil):
			return err
		case err != nil:
			b = &wire.Built{Error: err.Error()}
		}
		s.built[key] = b
	}
	return nil
}
