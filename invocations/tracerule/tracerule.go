// Package tracerule compiles the rules by which zones of captures made elsewhere belong to invocations. It is a leaf,
// since suites hold rules and traces follow them.
package tracerule

import (
	"fmt"
	"regexp"
	"slices"
)

// The groups of a trace rule: what they capture of a zone's name is the id of an invocation, and the name of a
// dispatch.
const (
	Invocation = "invocation"
	Dispatch   = "dispatch"
)

// Parse compiles a rule that joins the zones of captures made elsewhere to invocations: a regular expression, searched
// in the names of zones, with at least one of the named groups Invocation and Dispatch. A zone that matches is a call
// of the invocation; with a dispatch, it is a workgroup of that dispatch, in the call around it where the name says no
// invocation. A group may occur in several alternatives.
func Parse(text string) (*regexp.Regexp, error) {
	rule, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("trace rule %q: %w", text, err)
	}
	known := 0
	for _, group := range rule.SubexpNames() {
		switch {
		case slices.Contains([]string{Invocation, Dispatch}, group):
			known++
		case group != "":
			return nil, fmt.Errorf("trace rule %q: no group is called %s: want %s or %s", text, group, Invocation,
				Dispatch)
		}
	}
	if known == 0 {
		return nil,
			fmt.Errorf("trace rule %q: names neither an invocation nor a dispatch: put (?P<%s>…) or (?P<%s>…) around "+
				"the part of a zone's name that is one",
				text, Invocation, Dispatch)
	}
	return rule, nil
}
