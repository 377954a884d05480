package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// resolve completes a request with the description of one function.
func (p *Planner) resolve(
	r *invocations.Invocation, d *invocations.Description, f *invocations.Function, taken map[string]bool,
) (Entry, error) {
	inv := *r
	inv.Artifact, inv.Function, inv.Placed = d.Artifact, f.Name, nil
	inv.Measure.CheckOnly = inv.Measure.CheckOnly || f.Emulated
	if inv.Artifact.Options == nil {
		inv.Artifact.Options = r.Artifact.Options
	}
	out := Entry{Lacks: f.Lacks, Emulated: f.Emulated, Comparable: d.Comparable}
	switch {
	case r.Name == "" || strings.HasPrefix(r.Name, "/"): // "/…" is the suffix of a point of a sweep
		inv.Name, out.Unnamed = f.Name+r.Name, true
	case r.Function == "":
		inv.Name += "/" + f.Name
	}
	if f.Skip != "" {
		out.Verdict, out.Reason = invocations.Skipped, f.Skip
	}
	if f.Refused != "" {
		out.Verdict, out.Reason, out.Invocation = invocations.Failed, f.Refused, inv
		return out, nil
	}
	var err error
	if len(r.Command) == 0 { // the parameters of a command are in its words
		inv.Parameters, err = parameters(withoutPlaced(r, f), f, taken)
		switch {
		case err != nil && f.Skip != "": // why it cannot run comes first; perhaps nothing is known of its parameters
			inv.Parameters = withoutPlaced(r, f)
		case err != nil:
			return out, p.told(err)
		}
	}
	inv.Given = givenEstimates(r.Parameters, f)
	if inv.Arguments, err = arguments(r.Arguments, f.Arguments); err != nil && f.Skip == "" {
		if len(f.Arguments) == 0 && f.Note != "" { // which may tell why none are known
			err = fmt.Errorf("%w; %s", err, f.Note)
		}
		return out, err
	}
	var sizes map[string]string
	if err == nil {
		sizes = p.inferSizes(r, f, inv.Arguments)
		inv.Parameters = with(inv.Parameters, sizes)
	}
	if inv.Group == "" && out.Verdict == "" && p.Group != nil {
		if inv.Group = p.Group(*f); inv.Group != "" {
			inv.Group += parameterSuffix(inv.Parameters)
		}
	}
	out.Note = joinNotes(f.Note, defaultsNote(with(r.Parameters, sizes), f), sizesNote(sizes))
	out.Invocation = inv
	return out, nil
}

// givenEstimates returns the parameters that are given with the values that the artifact estimates.
func givenEstimates(given map[string]string, f *invocations.Function) (names []string) {
	for _, q := range f.Parameters {
		if value, ok := given[q.Name]; ok && q.Estimated && value == q.Default {
			names = append(names, q.Name)
		}
	}
	slices.Sort(names)
	return names
}

// defaultsNote returns a note that lists the parameters that have their default values.
func defaultsNote(given map[string]string, f *invocations.Function) string {
	var chosen []string
	for _, q := range f.Parameters {
		if _, ok := given[q.Name]; !ok && q.Default != "" && !q.Estimated {
			chosen = append(chosen, q.Name+"="+q.Default)
		}
	}
	if len(chosen) == 0 {
		return ""
	}
	return "default sizes: " + strings.Join(chosen, ", ")
}

func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// withoutPlaced returns the parameters of a request without those that are in its arguments and that the function
// lacks.
func withoutPlaced(r *invocations.Invocation, f *invocations.Function) map[string]string {
	if len(r.Placed) == 0 {
		return r.Parameters
	}
	given := maps.Clone(r.Parameters)
	for _, name := range r.Placed {
		if !slices.ContainsFunc(f.Parameters, func(q invocations.Parameter) bool { return q.Name == name }) {
			delete(given, name)
		}
	}
	return given
}

// parameters returns the given values, and the artifact's defaults for the other parameters. It may return given
// itself. Names in taken are those of parameters of other functions, which this one may lack.
func parameters(given map[string]string, f *invocations.Function, taken map[string]bool) (map[string]string, error) {
	named := func(name string) func(invocations.Parameter) bool {
		return func(q invocations.Parameter) bool { return q.Name == name }
	}
	for name := range given {
		if !slices.ContainsFunc(f.Parameters, named(name)) && !taken[name] {
			if len(f.Parameters) == 0 {
				return nil, &settingError{"params", name, remedy.New(
					fmt.Sprintf("parameter %q is given, but the function has none", name),
					remedy.Remedy{Kind: remedy.Generated, Name: name})}
			}
			return nil, &settingError{"params", name, noSuchParameter(name, given, f)}
		}
	}
	changed := func(q invocations.Parameter) bool {
		return given[q.Name] == "" || value(given[q.Name], q) != given[q.Name]
	}
	if len(given) == len(f.Parameters) && len(given) > 0 && !slices.ContainsFunc(f.Parameters, changed) {
		return given, nil // a copy for each of a million points would take much memory
	}
	out := map[string]string{}
	for _, q := range f.Parameters {
		if value := cmp.Or(value(given[q.Name], q), q.Default); value != "" {
			out[q.Name] = value
		}
	}
	return out, nil
}

// shape is a size in several dimensions: "64x48".
var shape = lazyregexp.New(`^\d+(x\d+)+$`)

// extentOf is the end of the names of parameters that are shapes.
const extentOf = ".extent"

// noSuchParameter returns the error for a parameter that a function lacks. A shape is never meant for a generator, but is
// that of the last array without one: outputs come last.
func noSuchParameter(name string, given map[string]string, f *invocations.Function) error {
	var names, free, extents []string
	for _, q := range f.Parameters {
		if names = append(names, q.Name); given[q.Name] == "" {
			free = append(free, q.Name)
			if strings.HasSuffix(q.Name, extentOf) {
				extents = append(extents, q.Name)
			}
		}
	}
	var remedies []remedy.Remedy
	switch near := spelling.Nearest(name, free); {
	case near != "" && len(name) > 1: // a letter is near to every other one
		remedies = []remedy.Remedy{{Kind: remedy.Instead, Name: name, Value: near}}
	case !shape().MatchString(given[name]):
		meant := ""
		switch {
		case len(free) > 0 && len(extents) == len(free):
			meant = extents[len(extents)-1]
		case len(free) > 0:
			meant = free[0]
		}
		remedies = []remedy.Remedy{{Kind: remedy.Generated, Name: name, Value: meant}}
	case len(extents) > 0:
		remedies = []remedy.Remedy{{Kind: remedy.Instead, Name: name, Value: extents[len(extents)-1]}}
	}
	return remedy.With(fmt.Errorf("it has no parameter %q; it has: %s", name, strings.Join(names, ", ")), remedies...)
}

// value returns the value of a parameter. One of a whole number may have a letter, "4k", and is kept in digits.
func value(given string, q invocations.Parameter) string {
	if _, err := strconv.ParseInt(cmp.Or(q.Default, q.Example), 10, 64); err != nil {
		return given
	}
	return digits(given)
}

// parameterSuffix returns a text such as "/K=64/M=128"; "" without parameters.
func parameterSuffix(ps map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(ps)) {
		fmt.Fprintf(&b, "/%s=%s", k, ps[k])
	}
	return b.String()
}

// unreadable returns the failed entry of a request whose artifact cannot be read or lacks what the request asks for.
func unreadable(r *invocations.Invocation, err error) Entry {
	p := Entry{
		Invocation: *r, Verdict: invocations.Failed, Reason: err.Error(), Unnamed: r.Name == "", Unread: true,
	}
	name := cmp.Or(r.Function, filepath.Base(r.Artifact.Path))
	p.Invocation.Name = cmp.Or(r.Name, name)
	if strings.HasPrefix(r.Name, "/") { // see resolve
		p.Invocation.Name, p.Unnamed = name+r.Name, true
	}
	return p
}
