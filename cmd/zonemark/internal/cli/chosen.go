package cli

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations/spelling"
)

// All stands for every name that a list in a flag may have.
const All = "all"

// Chosen returns the names that the list of a flag has, separated by commas: each of names once. The error for another
// name says what the names are, in the words of what, such as "models run on tt and iree".
func Chosen(flag, list string, names []string, what string) (chosen []string, err error) {
	if list == All {
		return slices.Clone(names), nil
	}
	for name := range strings.SplitSeq(list, ",") {
		switch {
		case !slices.Contains(names, name):
			return nil, fmt.Errorf("%s %s: %s; %s stands for each of them%s", flag, list, what, All,
				spelling.Suggest(name, names))
		case slices.Contains(chosen, name):
			return nil, fmt.Errorf("%s %s: %s is there twice", flag, list, name)
		}
		chosen = append(chosen, name)
	}
	return chosen, nil
}
