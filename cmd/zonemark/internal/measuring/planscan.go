package measuring

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"regexp"
	"strconv"

	"zonemark/driver/farm"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/repeats"
)

// planScan looks at the invocations of an outline without keeping them, since there may be a million: it has them made
// once to look at all of them, and again for what is done with them.
type planScan struct {
	*Measurement
	outline  *plan.Outline
	check    *planChecks
	names    *regexp.Regexp // of those that --filter keeps
	ids      []uint64       // of those that --filter keeps
	division *farm.Division // nil: the plan is not divided
}

func (m *Measurement) scan(outline *plan.Outline) *planScan {
	return &planScan{Measurement: m, outline: outline, check: m.checks()}
}

// look checks the invocations, divides them into shards if that is asked for, and returns an error for two with the
// same id. It hands each one that --filter keeps to a function.
func (s *planScan) look(ctx context.Context, each func(*invocations.Invocation)) error {
	divider, err := s.divider(ctx, s.outline.Len())
	if err != nil {
		return err
	}
	s.names, err = s.filter()
	if err != nil {
		return err
	}
	var all repeats.Finder // ids
	for p, err := range s.outline.All() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		s.outline.Seal(p)
		id, err := strconv.ParseUint(p.Invocation.ID, 16, 64)
		if err != nil {
			return err
		}
		all.Add(p.Invocation.ID)
		if !s.keeps(p) {
			continue
		}
		s.ids = append(s.ids, id)
		s.check.add(p)
		if divider != nil {
			divider.Add(id, &p.Invocation)
		}
		each(&p.Invocation)
	}
	if all := s.outline.Len(); all > 0 && len(s.ids) == 0 {
		return s.noneMatches(all)
	}
	if all.Suspect() != nil {
		if _, err := s.outline.Plan(); err != nil { // it names the two
			return err
		}
	}
	if divider == nil {
		return s.check.err()
	}
	if s.division, err = divider.Divide(int(s.Shards)); err != nil {
		return fmt.Errorf("--shards: %w", err)
	}
	return s.check.err()
}

func (s *planScan) keeps(p *plan.Entry) bool {
	return s.names.MatchString(p.Invocation.Name)
}

// placed is an invocation with its place in the plan.
type placed struct {
	*plan.Entry
	place int
}

// kept yields the invocations that --filter and --shard keep, after look. They have their numbers of launches, and no
// ids. After an error it yields nothing more.
func (s *planScan) kept(ctx context.Context) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		place := -1
		for p, err := range s.outline.All() {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				yield(placed{}, err)
				return
			}
			if !s.keeps(p) {
				continue
			}
			place++
			if s.division != nil && s.division.Of(place) != int(s.Shard) {
				continue
			}
			s.check.settle(p)
			if !yield(placed{p, place}, nil) {
				return
			}
		}
	}
}
