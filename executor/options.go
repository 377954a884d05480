package executor

import (
	"fmt"
	"maps"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// CheckOptions returns an error that names the first option of given, by name, that is not known. who has these
// options, in the words of the error: "the runtime iree".
func CheckOptions(who string, known []invocations.Option, given map[string]string) error {
	var names []string
	for _, option := range known {
		names = append(names, option.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		switch {
		case slices.Contains(names, key):
		case len(names) == 0:
			return fmt.Errorf("%s has no option %q; leave it out", who, key)
		default:
			return fmt.Errorf("%s has no option %q%s", who, key, spelling.SuggestOrList(key, names))
		}
	}
	return nil
}
