package fitting

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/costmodel/table"
	"zonemark/driver/journal"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// The measures of a journal that can be fitted.
const (
	medianNS    = "median_ns"
	referenceNS = "reference_ns"
	cycles      = "cycles"
)

func measures() []string { return []string{medianNS, referenceNS, cycles} }

// measured returns what --y asks for, or nil if the record does not have it. Cycles are those of the processor's
// counter or, on a simulator, of the simulated device.
func (f *Settings) measured(r *invocations.Record) *float64 {
	switch f.measure {
	case referenceNS:
		return r.ReferenceNS
	case cycles:
		if counted, ok := r.Counters["cycles"]; ok {
			return &counted
		}
		if r.SimulatedCycles != nil {
			simulated := float64(*r.SimulatedCycles)
			return &simulated
		}
		return nil
	}
	return r.MedianNS
}

// readJournal makes a sweep of each function of a journal.
func (f *Settings) readJournal(ctx context.Context, path string) ([]sweep, error) {
	cli.CollectForFiles(path)
	stored, err := journal.Reading{Figures: true}.File(ctx, path)
	if err != nil {
		return nil, err
	}
	if !stored.Complete {
		f.Say("warning: %s: %s", path, stored.Why)
	}
	var groups []*measuredGroup
	skipped, dropped := 0, 0
	defer stored.Records.Close()
	for r, err := range stored.Records.All() {
		if err != nil {
			return nil, err
		}
		if r.Status != invocations.OK {
			skipped++
			continue
		}
		if r.Dropped != nil {
			dropped++
			continue
		}
		at := slices.IndexFunc(groups, func(g *measuredGroup) bool { return g.takes(r, f.variables) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &measuredGroup{first: r})
		}
		groups[at].results = append(groups[at].results, f.newResult(r))
	}
	if skipped > 0 {
		f.Say("warning: %s: %s did not end ok: not fitted", path, report.Counted(skipped, "result"))
	}
	if dropped > 0 {
		f.Say("warning: %s: a race dropped %s after few launches: not fitted; --race off measures all precisely", path,
			report.Counted(dropped, "result"))
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s: no result that ended ok", path)
	}
	var sweeps []sweep
	for _, g := range groups {
		if len(g.results) == 1 && len(groups) > 1 {
			f.Say("warning: %s: %s: one result is too little to fit a model to", path, g.first.Name)
			continue
		}
		s, err := f.journalSweep(path, g)
		s.place = report.Place(stored.Header.Environment, stored.Header.Started)
		if err != nil {
			return sweeps, err
		}
		sweeps = append(sweeps, s)
	}
	return sweeps, nil
}

// measuredGroup is the results of one function that was measured in one way. They are fitted together.
type measuredGroup struct {
	first   *invocations.Record
	results []result
}

// result is what is fitted of a record.
type result struct {
	name                string
	parameters, options map[string]string
	measured            *float64 // what --y asks for; nil if the record does not have it
	others              string   // the measures that it has instead, for the end of an error
}

func (f *Settings) newResult(r *invocations.Record) result {
	out := result{name: r.Name, parameters: r.Parameters, options: r.Options}
	if measured := f.measured(r); measured != nil {
		value := *measured
		out.measured = &value
	} else {
		out.others = f.otherMeasures(r)
	}
	return out
}

// takes reports whether a result belongs to the group. All that is not a variable must be equal.
func (g *measuredGroup) takes(r *invocations.Record, variables []string) bool {
	first := g.first
	for key := range maps.Keys(r.Options) {
		if r.Options[key] != first.Options[key] && !slices.Contains(variables, key) {
			return false
		}
	}
	return r.Runtime == first.Runtime && r.Artifact == first.Artifact && r.Function == first.Function &&
		r.Mode == first.Mode && len(r.Options) == len(first.Options)
}

// name returns the function, with the mode if it is not the usual one.
func (g *measuredGroup) name() string {
	first := g.first
	if first.Mode == invocations.Warm || first.Mode == "" {
		return first.Function
	}
	return first.Function + " " + string(first.Mode)
}

// neglected returns the parameters that change from result to result and are no variables.
func (g *measuredGroup) neglected(variables []string) []string {
	changing := map[string]bool{}
	for i := range g.results {
		for name, value := range g.results[i].parameters {
			if value != g.first.Parameters[name] && !slices.Contains(variables, name) {
				changing[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changing))
}

// journalSweep makes a table of the results of one function.
func (f *Settings) journalSweep(path string, g *measuredGroup) (sweep, error) {
	s := sweep{operation: g.name(), architecture: f.Architecture}
	if f.measure != cycles {
		s.unit = unitNS
	}
	if len(f.variables) == 0 {
		return s, fmt.Errorf("%s: --x must name the variables%s", path, numericParameters(g.results))
	}
	header := append(slices.Clone(f.variables), "runtime")
	for _, name := range f.variables {
		s.variables = append(s.variables, table.Canonical(name))
	}
	if names := g.neglected(f.variables); len(names) > 0 {
		f.Say("warning: %s: %s: --x does not name what changes, too: %s", path, s.operation, strings.Join(names, ", "))
	}
	var rows [][]string
	for i := range g.results {
		row, err := f.journalRow(&g.results[i])
		if err != nil {
			return s, fmt.Errorf("%s: %s: %w", path, g.results[i].name, err)
		}
		rows = append(rows, row)
	}
	var err error
	s.table, err = table.New(path, header, rows, nil)
	return s, err
}

// journalRow returns the variables of a result and its measure.
func (f *Settings) journalRow(r *result) ([]string, error) {
	var row []string
	for _, name := range f.variables {
		value, known := r.parameters[name]
		if !known {
			value, known = r.options[name]
		}
		if !known {
			hint := "; it has no parameters"
			if names := slices.Sorted(maps.Keys(r.parameters)); len(names) > 0 {
				hint = spelling.SuggestOrList(name, names)
			}
			return nil, fmt.Errorf("--x: no parameter %q%s", name, hint)
		}
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return nil, fmt.Errorf("--x: parameter %s is %q: want a number", name, value)
		}
		row = append(row, value)
	}
	if r.measured == nil {
		return nil, fmt.Errorf("--y: the result has no %s%s", f.measure, r.others)
	}
	return append(row, strconv.FormatFloat(*r.measured, 'g', -1, 64)), nil
}

// otherMeasures names the measures that the result has instead of the one that --y asks for.
func (f *Settings) otherMeasures(r *invocations.Record) string {
	var has []string
	for _, name := range measures() {
		other := *f
		if other.measure = name; other.measured(r) != nil {
			has = append(has, name)
		}
	}
	if len(has) == 0 {
		return ""
	}
	return "; it has " + strings.Join(has, ", ")
}

// numericParameters lists the names that --x accepts.
func numericParameters(results []result) string {
	names := map[string]bool{}
	for i := range results {
		for name, value := range results[i].parameters {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				names[name] = true
			}
		}
	}
	if len(names) == 0 {
		return ", but no invocation has a parameter that is a number"
	}
	return ": --x " + strings.Join(slices.Sorted(maps.Keys(names)), ",")
}
