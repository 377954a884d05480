package invocations

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// The groups of a trace rule: what they capture of a zone's name is the id of an invocation, and the name of a dispatch.
const (
	RuleInvocation = "invocation"
	RuleDispatch   = "dispatch"
)

// ParseTraceRule compiles a rule that joins the zones of captures made elsewhere to invocations: a regular expression, searched in the names of zones, with
// at least one of the named groups RuleInvocation and RuleDispatch. A zone that matches is a call of the invocation; with a dispatch, it is a workgroup of
// that dispatch, in the call around it where the name says no invocation. A group may occur in several alternatives.
func ParseTraceRule(text string) (*regexp.Regexp, error) {
	rule, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("trace rule %q: %w", text, err)
	}
	known := 0
	for _, group := range rule.SubexpNames() {
		switch {
		case slices.Contains([]string{RuleInvocation, RuleDispatch}, group):
			known++
		case group != "":
			return nil, fmt.Errorf("trace rule %q: no group is called %s: want %s or %s", text, group, RuleInvocation, RuleDispatch)
		}
	}
	if known == 0 {
		return nil, fmt.Errorf("trace rule %q: names neither an invocation nor a dispatch: put (?P<%s>…) or (?P<%s>…) around the part of a zone's name that is one",
			text, RuleInvocation, RuleDispatch)
	}
	return rule, nil
}

// keyTraceRules is the top-level key of rules.
const keyTraceRules = "trace_rules"

// traceRules reads the top-level key trace_rules.
func (p *suiteParser) traceRules(root table, key string) ([]string, error) {
	path, name := root.child(key)
	list, ok := root.values[key].([]any)
	if !ok {
		return nil, p.fail(path, name, fmt.Errorf("is %s; write an array of texts", kindOf(root.values[key])))
	}
	if len(list) == 0 {
		return nil, p.fail(path, name, errors.New("is empty: write a rule or remove it"))
	}
	rules := make([]string, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, p.fail(path.index(i), name, fmt.Errorf("holds %s; want texts in quotes", kindOf(item)))
		}
		if _, err := ParseTraceRule(text); err != nil {
			return nil, p.fail(path.index(i), name, err)
		}
		rules[i] = text
	}
	return rules, nil
}
