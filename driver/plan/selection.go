package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// missing returns an error for a function that the user selected and no artifact has. words may be nil.
func missing(
	only []string, seen map[string]bool, found map[string][]invocations.Description, words func(remedy.Remedy) string,
) error {
	for _, name := range only {
		if !seen[name] {
			var all []invocations.Description
			for _, key := range slices.Sorted(maps.Keys(found)) {
				all = append(all, found[key]...)
			}
			where := "the artifacts"
			if len(all) == 1 {
				where = all[0].Artifact.Path
			}
			return errors.New(remedy.Told(noSuchFunction(where, name, all), words))
		}
	}
	return nil
}

// checkReference returns an error if the reference of a request is none of the functions that its artifact has. A
// reference with a colon names a file, too, which only the runtime can read.
func checkReference(r *invocations.Invocation, ds []invocations.Description) error {
	name := r.Verify.Reference
	if name == "" || strings.Contains(name, ":") {
		return nil
	}
	for _, d := range ds {
		if slices.ContainsFunc(d.Functions, func(f invocations.Function) bool { return f.Name == name }) {
			return nil
		}
	}
	return &settingError{"verify", "reference", noSuchFunction(r.Artifact.Path, name, ds)}
}

// noSuchFunction returns the error for a missing function, with a suggestion or the functions that there are.
func noSuchFunction(where, name string, ds []invocations.Description) error {
	var names []string
	for _, d := range ds {
		for _, f := range d.Functions {
			names = append(names, f.Name)
		}
	}
	if near := spelling.Nearest(name, names); near != "" {
		err := fmt.Errorf("%s: no function %q; did you mean %q? \"zonemark list\" shows all %d", where, name, near,
			len(names))
		return remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: name, Value: near})
	}
	err := fmt.Errorf("%s: no function %q; it has: %s", where, name, strings.Join(names, ", "))
	if len(names) == 0 {
		return err
	}
	return remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: name, Value: names[0]})
}

// takenParameters returns the parameters of the functions that a request stands for, if it stands for several.
func takenParameters(r *invocations.Invocation, ds []invocations.Description, only []string) map[string]bool {
	taken := map[string]bool{}
	for _, d := range ds {
		for _, f := range d.Functions {
			if r.Function != "" || len(only) > 0 && !slices.Contains(only, f.Name) {
				continue
			}
			for _, q := range f.Parameters {
				taken[q.Name] = true
			}
		}
	}
	return taken
}

// unvalued collects the parameters without a value that some function needs from the user.
type unvalued struct {
	lines, examples []string        // NAME=VALUE, for each name once
	told            map[string]bool // lines
}

// add notes what an invocation lacks. ds describe its artifact.
func (u *unvalued) add(p *Entry, ds []invocations.Description) {
	inv := &p.Invocation
	if p.Verdict != "" || !anyRequired(ds) { // there may be a million invocations
		return
	}
	var names []string
	for _, q := range requiredParameters(ds, inv) {
		if inv.Parameters[q.Name] != "" || hasContents(inv.Arguments, q.Name) {
			continue
		}
		names = append(names, q.Name)
		named := func(example string) bool { return strings.HasPrefix(example, q.Name+"=") }
		if !slices.ContainsFunc(u.examples, named) {
			u.examples = append(u.examples, q.Name+"="+q.Example)
		}
	}
	line := fmt.Sprintf("%s: %s has no value for %s", inv.Artifact.Path, inv.Function, strings.Join(names, ", "))
	if len(names) > 0 && !u.told[line] {
		u.told[line] = true
		u.lines = append(u.lines, line)
	}
}

// err returns an error that names every parameter without a value, for all functions at once, and says in words what to
// do. words may be nil.
func (u *unvalued) err(words func(remedy.Remedy) string) error {
	if u.lines == nil {
		return nil
	}
	if words == nil {
		words = remedy.Remedy.String
	}
	give := remedy.Remedy{Kind: remedy.Call, Parameters: strings.Join(u.examples, " ")}
	return fmt.Errorf("%s\n%s", strings.Join(u.lines, "\n"), words(give))
}

func anyRequired(ds []invocations.Description) bool {
	for _, d := range ds {
		for _, f := range d.Functions {
			if slices.ContainsFunc(f.Parameters, func(q invocations.Parameter) bool { return q.Example != "" }) {
				return true
			}
		}
	}
	return false
}

// hasContents reports whether an argument has contents of the user's choice.
func hasContents(list []invocations.Argument, name string) bool {
	return slices.ContainsFunc(list, func(a invocations.Argument) bool {
		return a.Name == name && a.Fill != invocations.FillDefault
	})
}

// requiredParameters returns the parameters of an invocation's function that have no default value anywhere.
func requiredParameters(ds []invocations.Description, inv *invocations.Invocation) (list []invocations.Parameter) {
	for _, d := range ds {
		for _, f := range d.Functions {
			if d.Artifact.Path != inv.Artifact.Path || f.Name != inv.Function {
				continue
			}
			for _, q := range f.Parameters {
				if q.Example != "" {
					list = append(list, q)
				}
			}
		}
	}
	return list
}
