package comparing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver"
	"zonemark/driver/compare"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/shellwords"
)

// side is one of the two that are measured.
type side struct {
	prefix   string // of its names in the journal
	source   string // for people
	path     string // artifact or suite; empty: command
	command  []string
	measured *measuring.Measurement
	list     []plan.Entry // what is planned for it
	// environment is that of the executor that described the artifacts.
	environment map[string]string
}

// prefixes tell the sides apart in the journal. They are equally long, so that nothing differs by their lengths.
var prefixes = [2]string{"old/", "new/"}

// runMeasure measures both sides and reports.
func (f *Flags) runMeasure(ctx context.Context) int {
	var sides [2]*side
	for i := range sides {
		if len(f.commands) > 0 {
			sides[i] = &side{command: f.commands[i], source: shellwords.Line(f.commands[i]...)}
			continue
		}
		sides[i] = &side{path: f.arguments[i], source: f.arguments[i]}
	}
	if err := f.checkJournal(); err != nil {
		return f.Fail("%v", err)
	}
	if f.artifact != "" {
		done, err := f.buildBoth(ctx, &sides)
		defer done()
		if err != nil {
			return f.failed(ctx, err)
		}
	}
	c, err := f.measureSides(ctx, sides, driver.JournalFile{Path: f.output, Overwrite: f.overwrite}, nil)
	switch {
	case err != nil && c != nil:
		if err := f.write(c, rowtext.Text, ""); err != nil {
			return f.Fail("%v", err)
		}
		return f.Fail("interrupted: this is what is known so far; further pairs of launches might have decided more")
	case err != nil:
		return f.failed(ctx, err)
	}
	return f.report(c, "")
}

func (f *Flags) failed(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		return f.Fail("interrupted; nothing was decided")
	}
	return f.Fail("%v", err)
}

// measureSides plans both sides, measures what they have in common in pairs, and compares. If only is not nil, rows of
// other names are left out. If it is interrupted while it measures, it returns what is known by then, too.
func (f *Flags) measureSides(
	ctx context.Context, sides [2]*side, journal driver.JournalFile, only func(name string) bool,
) (*comparison, error) {
	for i, s := range sides {
		s.prefix = prefixes[i]
		s.measured = measuring.New(&f.Task, nil)
		if s.path != "" {
			s.measured.Paths = []string{s.path}
		} else {
			s.measured.Commands = [][]string{s.command}
		}
		plan, err := s.measured.Plan(ctx)
		if err != nil {
			return nil, err
		}
		s.environment = plan.Environment
		for _, p := range plan.All() {
			s.list = append(s.list, *p)
		}
	}
	nameAlike(sides[0].list, sides[1].list)
	pairs, lone := pairUp(sides, only)
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no function in common: the old side has %s, the new one %s",
			sides[0].source, sides[1].source, names(sides[0].list), names(sides[1].list))
	}
	m := sides[1].measured
	plan := &plan.Plan{Environment: sides[1].environment}
	judge := compare.NewJudge(len(pairs), f.options)
	m.Pairs = &driver.Pairs{Decided: judge.Decided}
	for _, pair := range pairs {
		m.Pairs.Of = append(m.Pairs.Of, [2]int{plan.Len(), plan.Len() + 1})
		plan.Add(pair[0], pair[1])
	}
	m.Journal = journal
	if err := m.Provide(ctx, invocationsOf(plan)); err != nil {
		return nil, err
	}
	run, err := m.Execute(ctx, plan)
	defer func() { _ = run.Records.Close() }() // they are there with an error, too
	if err != nil && (ctx.Err() == nil || run.Records.Len()+run.Partial.Len() == 0) {
		return nil, err
	}
	all, unreadable := compared(sides, run, lone, judge)
	return all, errors.Join(err, unreadable)
}

// nameAlike gives the only functions of both sides one name, and commands, which differ by their words.
func nameAlike(before, after []plan.Entry) {
	commands := len(after) > 0 && len(after[0].Invocation.Command) > 0
	if len(before) != len(after) || !commands && len(after) != 1 {
		return
	}
	for i := range after {
		if is := &after[i].Invocation; commands || before[i].Invocation.Function != is.Function {
			before[i].Invocation.Name = is.Name
		}
	}
}

// pairUp returns the invocations that both sides have, by name and parameters, and the measurements, without any times,
// of those that one side has only. The names of the pairs tell the sides apart.
func pairUp(sides [2]*side, only func(name string) bool) (pairs [][2]plan.Entry, lone [2]*compare.Set) {
	byKey := map[string][]int{}
	before, after := sides[0].list, sides[1].list
	for i := range before {
		k := rowKey(&before[i])
		byKey[k] = append(byKey[k], i)
	}
	alone := func(side int, p *plan.Entry) {
		lone[side].Measurements = append(lone[side].Measurements,
			compare.Unmeasured(&p.Invocation, cmp.Or(p.Verdict, invocations.OK)))
	}
	lone = [2]*compare.Set{{}, {}}
	taken := make([]bool, len(before))
	for i := range after {
		k := rowKey(&after[i])
		switch list := byKey[k]; {
		case only != nil && !only(after[i].Invocation.Name):
		case len(list) == 0:
			alone(1, &after[i])
		default:
			pairs = append(pairs, [2]plan.Entry{before[list[0]], after[i]})
			byKey[k], taken[list[0]] = list[1:], true
		}
	}
	for i := range before {
		if !taken[i] && (only == nil || only(before[i].Invocation.Name)) {
			alone(0, &before[i])
		}
	}
	for i := range pairs {
		for k, s := range sides {
			inv := &pairs[i][k].Invocation
			inv.Name = s.prefix + inv.Name
			inv.Seal()
		}
	}
	return pairs, lone
}

func rowKey(p *plan.Entry) string {
	return p.Invocation.Name + "\x00" + invocations.ParametersText(p.Invocation.Parameters)
}

// names lists the first names of a plan.
func names(list []plan.Entry) string {
	const shown = 8
	var words []string
	for i := range list[:min(len(list), shown)] {
		words = append(words, list[i].Invocation.Name)
	}
	if len(list) > shown {
		words = append(words, "…")
	}
	return report.Printable(strings.Join(words, ", "))
}

func invocationsOf(plan *plan.Plan) (list []invocations.Invocation) {
	for _, p := range plan.All() {
		list = append(list, p.Invocation)
	}
	return list
}

// compared makes the comparison of what was measured.
func compared(sides [2]*side, run report.Run, lone [2]*compare.Set, judge *compare.Judge) (*comparison, error) {
	var sets [2]*compare.Set
	for i, s := range sides {
		var records []invocations.Record
		for _, list := range []*invocations.Records{run.Records, run.Partial} {
			for r, err := range list.All() {
				if err != nil {
					return nil, err
				}
				if name, ours := strings.CutPrefix(r.Name, s.prefix); ours {
					one := *r
					one.Name = name
					records = append(records, one)
				}
			}
		}
		var err error
		if sets[i], err = compare.FromRecords(s.source, run.Environment, invocations.RecordsOf(records...)); err != nil {
			return nil, err
		}
		sets[i].Measurements = append(sets[i].Measurements, lone[i].Measurements...)
	}
	return &comparison{before: sets[0], after: sets[1], rows: judge.Rows(sets[0], sets[1])}, nil
}
