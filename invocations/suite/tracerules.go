package suite

import (
	"errors"
	"fmt"

	"zonemark/invocations/tracerule"
)

// keyTraceRules is the top-level key of rules.
const keyTraceRules = "trace_rules"

// traceRules reads the top-level key trace_rules.
func (p *parser) traceRules(root table, key string) ([]string, error) {
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
		if _, err := tracerule.Parse(text); err != nil {
			return nil, p.fail(path.index(i), name, err)
		}
		rules[i] = text
	}
	return rules, nil
}
