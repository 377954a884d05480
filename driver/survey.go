package driver

import (
	"context"

	"zonemark/invocations"
)

// survey is the first walk over the requests of an outline: it has artifacts described and finds what must be built.
type survey struct {
	*Outline
	descriptions int                      // of artifacts
	functions    map[string]bool          // names of those that requests stand for
	paths        map[string]bool          // of the artifacts of invocations
	built        map[string]bool          // keys of artifacts
	artifacts    []invocations.Invocation // the first invocation of each artifact that can run
}

// all walks over all requests. If there is only one, its error is that of the survey. If there are several, the others
// are measured, unless every request asks for something that its artifact lacks.
func (s *survey) all(ctx context.Context, executor *supervisor) error {
	var unread, refused error // error of the first artifact that cannot be read, and of the first other request
	var list []Planned
	requests, fits := 0, false // some request matched a function
	for r, err := range s.requests {
		if err != nil {
			return err
		}
		requests++
		if err := s.describe(ctx, executor, &r); err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.paths[r.Artifact.Path] = true
			s.count++
			unread = first(unread, err)
			continue
		}
		planned, err := s.planned(list[:0], &r)
		if err != nil {
			s.note([]Planned{unreadable(&r, err)})
			refused = first(refused, err)
			continue
		}
		s.note(planned)
		fits, list = fits || len(planned) > 0, planned
	}
	switch {
	case requests == 1 && unread != nil:
		return unread
	case refused != nil && (requests == 1 || !fits):
		return refused
	}
	descriptions := map[string][]invocations.Description{}
	for key, one := range s.found {
		if one.err == nil {
			descriptions[key] = one.list
		}
	}
	return missing(s.only, s.functions, descriptions)
}

func first(earlier, err error) error {
	if earlier != nil {
		return earlier
	}
	return err
}

// describe has the artifact of a request described, unless one before it had the same.
func (s *survey) describe(ctx context.Context, executor *supervisor, r *invocations.Invocation) error {
	key := ArtifactKey(r)
	one, known := s.found[key]
	if !known {
		one.list, one.err = s.planner.describe(ctx, executor, r.Runtime, r.Artifact)
		s.found[key] = one
		s.descriptions += len(one.list)
		for _, d := range one.list {
			s.Warnings = append(s.Warnings, d.Warnings...)
			s.needs[d.Artifact.Path] = s.needs[d.Artifact.Path] || d.NeedsBuild
		}
	}
	return one.err
}

// note notes the entries of a request in the plan.
func (s *survey) note(list []Planned) {
	s.count += len(list)
	for i := range list {
		inv := &list[i].Invocation
		s.paths[inv.Artifact.Path], s.functions[inv.Function] = true, true
		if list[i].Verdict != "" {
			continue
		}
		if key := ArtifactKey(inv); !s.built[key] {
			s.built[key] = true
			s.artifacts = append(s.artifacts, *inv)
		}
	}
}
