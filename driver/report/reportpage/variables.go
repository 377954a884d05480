package reportpage

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/report"
	"zonemark/invocations"
)

// family is the results of one thing at several points of its axes: parameters, options, and axes of a suite.
type family struct {
	name    string
	mode    invocations.Mode
	points  []point
	numbers []string // variables that change and are numbers, those with the most values first
	words   []string // variables that change and are not
}

// point is a result with the values of its variables as texts.
type point struct {
	*invocations.Record
	values map[string]string
}

// number returns the value of a variable; NaN if it is not a number.
func (p *point) number(name string) float64 {
	v, err := strconv.ParseFloat(p.values[name], 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// familiesOf divides the timed records of a run into families with a variable that is a number and has at least two
// values, in order of appearance.
func familiesOf(records []invocations.Record) []*family {
	type key struct {
		runtime, artifact, name, variables string
		mode                               invocations.Mode
	}
	var order []*family
	known := map[key]*family{}
	for i := range records {
		r := &records[i]
		if r.Status != invocations.OK || !r.Timed() || !(*r.MedianNS > 0) {
			continue
		}
		name, values := variablesOf(r)
		k := key{r.Runtime, "", name, strings.Join(slices.Sorted(maps.Keys(values)), "\n"), r.Mode}
		if name == r.Name { // it has no axes, so that parameters of its function have to tell
			name = cmp.Or(r.Function, name)
			k.name, k.artifact = name, r.Artifact
		}
		if known[k] == nil {
			known[k] = &family{name: report.Printable(name), mode: r.Mode}
			order = append(order, known[k])
		}
		known[k].points = append(known[k].points, point{r, values})
	}
	order = slices.DeleteFunc(order, func(f *family) bool {
		f.findVariables()
		return len(f.numbers) == 0
	})
	distinguish(order)
	return order
}

// distinguish adds to the names of families that are equal the variables that do not change in a family, and that not all
// others have with the same value.
func distinguish(families []*family) {
	named := map[string][]*family{}
	for _, f := range families {
		key := f.name + "\n" + string(f.mode)
		named[key] = append(named[key], f)
	}
	for _, list := range named {
		own := make([][]string, len(list))
		for i, f := range list {
			for _, name := range slices.Sorted(maps.Keys(f.points[0].values)) {
				value := f.points[0].values[name]
				same := func(p point) bool { return p.values[name] == value }
				if slices.ContainsFunc(f.points, func(p point) bool { return !same(p) }) ||
					!slices.ContainsFunc(list, func(other *family) bool { return !slices.ContainsFunc(other.points, same) }) {
					continue
				}
				own[i] = append(own[i], name+"="+value)
			}
		}
		for i, f := range list {
			f.name = strings.Join(append([]string{f.name}, report.Printable(strings.Join(own[i], " "))), " ")
			f.name = strings.TrimSpace(f.name)
		}
	}
}

// variablesOf returns the name of a record without the values of axes in it, and the values of parameters, options and
// these axes.
func variablesOf(r *invocations.Record) (name string, values map[string]string) {
	values = map[string]string{}
	maps.Copy(values, r.Options)
	maps.Copy(values, r.Parameters)
	var kept []string
	for segment := range strings.SplitSeq(r.Name, "/") {
		if axis, value, found := strings.Cut(segment, "="); found && axis != "" {
			values[axis] = value
			continue
		}
		kept = append(kept, segment)
	}
	return strings.Join(kept, "/"), values
}

// findVariables finds the variables that change from point to point.
func (f *family) findVariables() {
	distinct := map[string]map[string]bool{}
	for _, p := range f.points {
		for name, value := range p.values {
			if distinct[name] == nil {
				distinct[name] = map[string]bool{}
			}
			distinct[name][value] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(distinct)) {
		numeric := !slices.ContainsFunc(f.points, func(p point) bool { return math.IsNaN(p.number(name)) })
		switch {
		case len(distinct[name]) < 2:
		case numeric:
			f.numbers = append(f.numbers, name)
		default:
			f.words = append(f.words, name)
		}
	}
	slices.SortStableFunc(f.numbers, func(a, b string) int { return cmp.Compare(len(distinct[b]), len(distinct[a])) })
}

// split divides the points by the values of these variables, in order of appearance.
func split(points []point, names []string) (parts [][]point, texts []string) {
	at := map[string]int{}
	for _, p := range points {
		var values []string
		for _, name := range names {
			values = append(values, name+"="+p.values[name])
		}
		text := report.Printable(strings.Join(values, " "))
		if _, there := at[text]; !there {
			at[text] = len(parts)
			parts, texts = append(parts, nil), append(texts, text)
		}
		parts[at[text]] = append(parts[at[text]], p)
	}
	return parts, texts
}

// valuesOf returns the different values of a variable, sorted.
func valuesOf(points []point, name string) []float64 {
	var all []float64
	for i := range points {
		all = append(all, points[i].number(name))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
