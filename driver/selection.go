package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// missing returns an error for a function that the user selected and no artifact has.
func missing(only []string, seen map[string]bool, found map[string][]invocations.Description) error {
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
			return noSuchFunction(where, name, all)
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
	if text := spelling.Suggest(name, names); text != "" {
		return fmt.Errorf("%s: no function %q%s \"zonemark list\" shows all %d", where, name, text, len(names))
	}
	return fmt.Errorf("%s: no function %q; it has: %s", where, name, strings.Join(names, ", "))
}
