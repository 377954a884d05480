package sweeping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver"
	"zonemark/driver/sweep"
	"zonemark/driver/sweep/operations"
	"zonemark/invocations"
)

// chunk is how many configurations are planned and measured at once. Their programs with data are on the disk as long.
const chunk = 32

// measure measures what an operation lacks. Configurations are taken in random order, so that what changes with time
// is not taken for a property of large configurations, and so that the remaining time can be told early.
func (s *Sweep) measure(ctx context.Context, m *measuring.Measurement, o *swept) error {
	missing := o.missing()
	order := rand.New(rand.NewPCG(s.Base.Measure.Seed, 1))
	order.Shuffle(len(missing), func(i, j int) { missing[i], missing[j] = missing[j], missing[i] })
	before, kept := s.tally.copy(), o.rows()
	for part := range slices.Chunk(missing, chunk) {
		if err := s.measureChunk(ctx, m, o, part); err != nil {
			return err
		}
	}
	var paths []string
	for i, side := range s.sides {
		path, err := o.results[i].Finish(s.raw, side.architecture)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	if !s.keepPrograms {
		if err := sweep.RemovePrograms(s.out, o.Operation); err != nil { // of a killed sweep
			return err
		}
	}
	done := s.tally.since(before)
	text := done.text()
	if kept > 0 {
		text = countRows(kept) + " there before, " + text
	}
	s.note("%s: %s; %s", o.Name, text, strings.Join(paths, ", "))
	return nil
}

// measureChunk measures some configurations of an operation. Rows are written as results come.
func (s *Sweep) measureChunk(
	ctx context.Context, m *measuring.Measurement, o *swept, list []*operations.Configuration,
) error {
	folder, err := sweep.Programs(s.out, o.Operation)
	if err != nil {
		return err
	}
	cases, requests, err := s.cases(ctx, o, list, folder)
	if err != nil {
		return err
	}
	if len(requests) > 0 {
		if err := s.execute(ctx, m, o, cases, requests); err != nil {
			return err
		}
	}
	if s.keepPrograms {
		return nil
	}
	return sweep.RemovePrograms(s.out, o.Operation)
}

// asked is a case with the runtime that it is measured on.
type asked struct {
	*sweep.Case
	side int // in Sweep.sides
}

// cases makes the programs of configurations for each runtime that has no row of theirs, and writes the rows of those
// that are not applied. Programs of one configuration are a group: their launches take turns.
func (s *Sweep) cases(
	ctx context.Context, o *swept, list []*operations.Configuration, folder string,
) (cases map[string]asked, requests []invocations.Invocation, err error) {
	cases = map[string]asked{}
	for i, c := range list {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if s.line.Due() {
			s.line.Draw(fmt.Sprintf("%s: program %d of %d%s", o.Name, i+1, len(list), s.clock.text()))
		}
		for i := range s.sides {
			item, err := sweep.NewCase(c, &s.sides[i].target, folder)
			if err != nil {
				return nil, nil, err
			}
			if o.results[i].Has(item) {
				continue
			}
			inv := item.Invocation()
			if inv == nil {
				s.tally.notApplied++
				s.clock.notApplied()
				if err := o.results[i].Add(item, nil); err != nil {
					return nil, nil, err
				}
				continue
			}
			s.complete(inv)
			cases[inv.Name] = asked{item, i}
			requests = append(requests, *inv)
		}
	}
	return cases, requests, nil
}

// complete adds how a program is measured.
func (s *Sweep) complete(inv *invocations.Invocation) {
	inv.Measure, inv.Limits = s.Base.Measure, s.Base.Limits
	if s.several() {
		inv.Group = inv.Name
		inv.Name = nameOn(inv.Name, inv.Runtime)
		inv.Measure.Launches = cmp.Or(inv.Measure.Launches, pairedLaunches)
	}
}

// execute measures invocations and adds the row of each when the journal has its result.
func (s *Sweep) execute(
	ctx context.Context, m *measuring.Measurement, o *swept, cases map[string]asked,
	requests []invocations.Invocation,
) error {
	m.Working = func(format string, args ...any) {
		if s.line.Due() {
			s.line.Draw(fmt.Sprintf("%s: %s%s", o.Name, fmt.Sprintf(format, args...), s.clock.text()))
		}
	}
	plan, err := m.Resolve(ctx, requests)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	add := func(r *invocations.Record) {
		if err := s.add(o, cases[r.Name], r); err != nil {
			stop(err)
		}
	}
	m.Progress = func(p driver.Progress) {
		switch {
		case p.Record != nil:
			add(p.Record)
		case s.line.Due():
			s.line.Draw(s.clock.position() + hosting.ProgressText(p) + s.clock.text())
		}
	}
	m.Journal = driver.JournalFile{Path: sweep.JournalFile(s.out, o.Operation), Resume: true, Silent: true}
	run, err := m.Execute(ctx, plan)
	defer func() { _ = run.Records.Close() }() // they are there with an error, too
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause // a row could not be written
	}
	for r, unreadable := range run.Records.All() { // the journal may have had some whose rows were lost
		if unreadable != nil {
			return errors.Join(err, unreadable)
		}
		add(r)
	}
	return errors.Join(err, context.Cause(ctx))
}

// add writes the row of a record.
func (s *Sweep) add(o *swept, item asked, r *invocations.Record) error {
	if item.Case == nil {
		return fmt.Errorf("results of %s: the invocation %s belongs to no configuration", o.Name, r.Name)
	}
	results := o.results[item.side]
	if results.Has(item.Case) {
		return nil
	}
	if err := results.Add(item.Case, r); err != nil {
		return err
	}
	if s.Verbose {
		s.note("%s", measuring.ResultLine(r))
	}
	s.tally.add(r)
	s.clock.measured(o)
	return nil
}
