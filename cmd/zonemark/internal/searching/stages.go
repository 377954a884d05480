package searching

import (
	"context"
	"fmt"
	"time"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver"
	"zonemark/driver/compare"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/driver/report/reportpage"
	"zonemark/driver/search"
	"zonemark/invocations"
)

// finalStage is the name of the last race.
const finalStage = "final"

const (
	// finalLaunches are how many launches finalists have at least, as without a search, and mostLaunches what they have if
	// these do not decide.
	finalLaunches, mostLaunches = 10, 30
	// usualLaunches is among how many launches --min-time is divided.
	usualLaunches = 10
	// pairTime is how long each side of the last comparison is measured at most.
	pairTime = 10 * time.Second
)

// pairNames are what the sides of the last comparison are called. They are equally long, so that nothing differs by their
// lengths.
var pairNames = [2]string{reportpage.TunedDefault, reportpage.TunedBest}

// plan builds points, and returns what is to be measured. The default comes with them, since the outputs of the others
// are compared with its outputs.
func (s *searcher) plan(ctx context.Context, points []int) ([]plan.Entry, error) {
	m := measuring.New(&s.Task, nil)
	m.Make = func(context.Context) ([]invocations.Invocation, error) {
		list := []invocations.Invocation{s.points[0]}
		for _, p := range points {
			if p != 0 {
				list = append(list, s.points[p])
			}
		}
		return list, nil
	}
	all, err := m.Plan(ctx)
	if err != nil {
		return nil, err
	}
	s.environment = all.Environment
	wanted := map[int]bool{}
	for _, p := range points {
		wanted[p] = true
	}
	var list []plan.Entry
	first := *all.At(0)
	for _, p := range all.All() {
		if n := len(p.Invocation.Arguments); p.Verdict == "" && first.Verdict == "" && n != len(first.Invocation.Arguments) {
			return nil, fmt.Errorf("%s: %s and %s do not compute the same: one has %s and the other one %d; choose with "+
				"--function", s.path, first.Invocation.Function, p.Invocation.Function,
				report.Counted(len(first.Invocation.Arguments), "argument"), n)
		}
		if wanted[s.pointOf(p)] {
			list = append(list, checked(*p, &first))
		}
	}
	return list, nil
}

// pointOf returns the point to which a planned invocation belongs.
func (s *searcher) pointOf(p *plan.Entry) int { return s.places[fmt.Sprint(p.Invocation.Point)] }

// checked has the outputs of a variant compared with those of the default, if it is the same function of the same file,
// built in another way: plans only compare different functions and files.
func checked(p plan.Entry, first *plan.Entry) plan.Entry {
	inv, standard := &p.Invocation, &first.Invocation
	if inv.Verify.Reference == "" && first.Verdict == "" && first.CanCompare(&p) &&
		plan.ArtifactKey(inv) != plan.ArtifactKey(standard) {
		inv.Verify.Reference, inv.Verify.Of, p.Follows = standard.Function, standard.Artifact, true
		inv.Seal()
	}
	return p
}

// racing returns what a race measures in a stage of the search, in so many launches at least and at most.
func racing(p plan.Entry, stage string, least, most int) plan.Entry {
	m := &p.Invocation.Measure
	m.MinTimeNS, m.MaxTimeNS = m.MinTimeNS*int64(least)/usualLaunches, m.MaxTimeNS*int64(least)/usualLaunches
	m.Launches, p.MostLaunches, p.Invocation.Group = least, most, stage
	p.Invocation.Seal()
	return p
}

// execute measures a plan. The journal goes on from one plan to the next.
func (s *searcher) execute(ctx context.Context, p *plan.Plan, pairs *driver.Pairs) (report.Run, error) {
	m := measuring.New(&s.Task, nil)
	var list []invocations.Invocation
	for _, one := range p.All() {
		list = append(list, one.Invocation)
	}
	if err := m.Provide(ctx, list); err != nil { // for the variables of executors
		return report.Run{}, err
	}
	m.Journal, m.Pairs = s.journal, pairs
	run, err := m.Execute(ctx, p)
	if s.journal.Path != "" {
		s.journal = driver.JournalFile{Path: s.journal.Path, Resume: true, Silent: true}
	}
	return run, err
}

// add makes a candidate of a planned invocation.
func (s *searcher) add(p plan.Entry) int {
	point := s.pointOf(&p)
	c := s.search.Add(point)
	if point == 0 && s.found.standard < 0 {
		s.found.standard = c
	}
	s.candidates, s.times = append(s.candidates, p), append(s.times, nil)
	return c
}

// learn takes note of the results of a stage, in which candidates have these names. It returns their ranking.
func (s *searcher) learn(run report.Run, numbers map[string]int) (ranking rank.Ranking, err error) {
	outcomes := []search.Outcome{}
	for r, err := range run.Records.All() {
		if err != nil {
			return ranking, err
		}
		c := numbers[r.Name]
		switch {
		case r.Status == invocations.OK && r.Timed():
			s.times[c] = r
			outcomes = append(outcomes, search.Outcome{Candidate: c, Ratio: 1})
		default:
			if s.found.failed++; s.found.failure == "" {
				s.found.failure = report.Printable(fmt.Sprintf("%s: %s: %s", r.Name, r.Status, r.Error))
			}
		}
	}
	if len(run.Rankings) > 0 {
		ranking, outcomes = run.Rankings[0], nil
		for _, row := range ranking.Rows {
			r, err := run.Records.At(row.Variant)
			if err != nil {
				return ranking, err
			}
			outcomes = append(outcomes,
				search.Outcome{Candidate: numbers[row.Name], Ratio: row.Ratio, Dropped: r.Dropped != nil})
		}
	}
	s.search.Learn(outcomes)
	s.found.best = s.search.Best()
	return ranking, run.Records.Close()
}

// final races all that may be the best.
func (s *searcher) final(ctx context.Context) error {
	finalists := s.search.Finalists()
	if len(finalists) < 2 {
		return nil
	}
	s.say("%s: %s that may be the best", finalStage, report.Counted(len(finalists), "variant"))
	race, numbers := &plan.Plan{Environment: s.environment}, map[string]int{}
	for _, c := range finalists {
		one := s.candidates[c]
		one.Invocation.Name = finalStage + "/" + one.Invocation.Name
		numbers[one.Invocation.Name] = c
		race.Add(racing(one, finalStage, finalLaunches, mostLaunches))
	}
	run, err := s.execute(ctx, race, nil)
	if err != nil {
		return err
	}
	s.found.finalists, err = s.learn(run, numbers)
	return err
}

// compare measures the best and the default in pairs that have no part in the choice.
func (s *searcher) compare(ctx context.Context) error {
	sides := [2]int{s.found.standard, s.found.best}
	if sides[0] < 0 || sides[0] == sides[1] || s.times[sides[0]] == nil {
		return nil
	}
	s.say("comparing the best with the default")
	both := &plan.Plan{Environment: s.environment}
	for i, c := range sides {
		one := s.candidates[c]
		inv := &one.Invocation
		inv.Name, inv.Group = pairNames[i]+"/"+s.candidates[sides[0]].Invocation.Function, ""
		inv.Measure.Precision, inv.Measure.Launches = 0, 0
		if !s.Given["max-time"] {
			inv.Measure.MaxTimeNS = int64(pairTime)
		}
		inv.Seal()
		both.Add(one)
	}
	o := compare.DefaultOptions()
	o.Floor = 0 // pairs have a floor of their own
	judge := compare.NewJudge(1, o)
	run, err := s.execute(ctx, both, &driver.Pairs{Of: [][2]int{{0, 1}}, Decided: judge.Decided})
	if err != nil {
		return err
	}
	var sets [2]*compare.Set
	for i := range sides {
		r, err := run.Records.At(i)
		if err != nil {
			return err
		}
		one := *r
		one.Name, one.Parameters = s.path, nil // so that they are one row
		if sets[i], err = compare.FromRecords(pairNames[i], run.Environment, invocations.RecordsOf(one)); err != nil {
			return err
		}
	}
	rows := judge.Rows(sets[0], sets[1])
	if rows[0].By == "" { // the journal has both: an earlier run has measured them
		rows = compare.Compare(sets[0], sets[1], o)
	}
	s.found.pair = &rows[0]
	return nil
}

// say tells how far the search is.
func (s *searcher) say(format string, args ...any) {
	if !s.Quiet {
		s.Say(format, args...)
	}
}

// bestSoFar returns what is known of the best one, for messages.
func (s *searcher) bestSoFar() string {
	if s.found.best < 0 {
		return ""
	}
	r := s.times[s.found.best]
	return fmt.Sprintf("; so far the best: %s, %s", report.Printable(s.candidates[s.found.best].Invocation.Name),
		report.Time(*r.MedianNS))
}
