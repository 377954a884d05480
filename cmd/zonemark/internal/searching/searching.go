package searching

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver"
	"zonemark/driver/compare"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/driver/search"
	"zonemark/invocations"
)

// searcher is one run of the verb.
type searcher struct {
	*Flags
	points     []invocations.Invocation
	places     map[string]int // of points, by their places among the others
	search     *search.Search
	candidates []plan.Entry          // by their numbers
	times      []*invocations.Record // the latest ones, by candidate; nil: it has none
	journal    driver.JournalFile
	found      outcome

	environment map[string]string // of the executor that described the artifacts
}

// outcome is what a search has found.
type outcome struct {
	variants, tried, failed, rounds int
	failure                         string        // the first one, for people
	spent                           time.Duration // on the search
	standard, best                  int           // candidates; -1: none
	finalists                       rank.Ranking
	pair                            *compare.Row // of default and best; nil: they were not compared
}

// Run searches and reports. It returns the exit status.
func (f *Flags) Run(ctx context.Context) int {
	s := &searcher{Flags: f, places: map[string]int{},
		journal: driver.JournalFile{Path: f.Output, Resume: f.Resume, Overwrite: f.Overwrite},
		found:   outcome{standard: -1, best: -1}}
	var err error
	if s.points, err = f.points(); err != nil {
		return f.Fail("%v", err)
	}
	var coordinates [][]int
	for i, p := range s.points {
		s.points[i].Group = searchGroup
		s.places[fmt.Sprint(p.Point)] = i
		coordinates = append(coordinates, p.Point)
	}
	if s.dry {
		return s.showIntended(ctx)
	}
	s.found.variants = len(s.points)
	s.search = search.New(coordinates, int(f.most), f.Base.Measure.Seed)
	err = s.run(ctx)
	status := cli.ExitOK
	if s.found.best >= 0 || err == nil {
		status = s.report()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		known := "this is what is known so far"
		if s.found.best < 0 {
			known = "nothing was known"
		}
		return f.Fail("interrupted: %s\n%s", known, strings.TrimPrefix(err.Error(), context.Canceled.Error()+"\n"))
	case err != nil:
		return f.Fail("%v", err)
	}
	return status
}

// searchGroup is the group of all points when they are planned, so that their outputs are compared with the default's.
const searchGroup = "variants"

// run searches, and compares what it has found with the default.
func (s *searcher) run(ctx context.Context) error {
	begun, before, err := time.Now(), time.Duration(0), error(nil)
	if s.Resume {
		if before, err = spentBefore(ctx, s.Output); err != nil {
			return err
		}
	}
	for {
		s.found.spent = before + time.Since(begun)
		again, fresh := s.search.Round()
		if len(fresh) == 0 {
			break
		}
		if s.found.rounds > 0 && s.budget > 0 && s.found.spent >= time.Duration(s.budget) {
			break
		}
		if err := s.round(ctx, again, fresh); err != nil {
			return err
		}
	}
	if s.found.best < 0 {
		return fmt.Errorf("%s: none of %s could be measured: %s", s.path, report.Counted(s.found.tried, "variant"),
			s.found.failure)
	}
	if err := s.final(ctx); err != nil {
		return err
	}
	return s.compare(ctx)
}

// spentBefore returns the time of all launches that a journal holds.
func spentBefore(ctx context.Context, path string) (spent time.Duration, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	_, err = journal.Reading{Each: func(_ int, r *invocations.Record) error {
		if r.SpentNS != nil {
			spent += time.Duration(*r.SpentNS)
		}
		return nil
	}}.File(ctx, path)
	return spent, err
}

// round measures new points in a race with candidates that are measured again.
func (s *searcher) round(ctx context.Context, again, fresh []int) error {
	s.found.rounds++
	entries, err := s.plan(ctx, fresh)
	if err != nil {
		return err
	}
	s.found.tried += len(entries)
	s.found.variants += len(entries) - len(fresh) // a point without a function has all of them
	stage := fmt.Sprintf("round %d", s.found.rounds)
	s.say("%s: %s, %d of %d tried%s", stage, report.Counted(len(entries)+len(again), "variant"), s.found.tried,
		s.found.variants, s.bestSoFar())
	numbers := map[string]int{}
	race := &plan.Plan{Environment: s.environment}
	for _, c := range again {
		one := s.candidates[c]
		one.Invocation.Name = stage + "/" + one.Invocation.Name
		numbers[one.Invocation.Name] = c
		race.Add(racing(one, stage, search.RoundLaunches, search.RoundLaunches))
	}
	for _, p := range entries {
		c := s.add(p)
		numbers[p.Invocation.Name] = c
		race.Add(racing(p, stage, search.RoundLaunches, search.RoundLaunches))
	}
	run, err := s.execute(ctx, race, nil)
	if err != nil {
		return err
	}
	_, err = s.learn(run, numbers)
	return err
}
