package suite

import (
	"fmt"

	"zonemark/invocations/tracerule"
)

// keyTraceRules is the top-level key of rules.
const keyTraceRules = "trace_rules"

// traceRules reads the top-level key trace_rules.
func (p *parser) traceRules(root table, key string) ([]string, error) {
	return p.texts(root, key, "a rule", func(text string) error {
		_, err := tracerule.Parse(text)
		return err
	})
}

// texts reads a top-level key with an array of texts that check accepts. what is one of them, for errors.
func (p *parser) texts(root table, key, what string, check func(string) error) ([]string, error) {
	path, name := root.child(key)
	list, ok := root.values[key].([]any)
	if !ok {
		return nil, p.fail(path, name, fmt.Errorf("is %s; write an array of texts", kindOf(root.values[key])))
	}
	if len(list) == 0 {
		return nil, p.fail(path, name, fmt.Errorf("is empty: write %s or remove it", what))
	}
	texts := make([]string, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, p.fail(path.index(i), name, fmt.Errorf("holds %s; want texts in quotes", kindOf(item)))
		}
		if err := check(text); err != nil {
			return nil, p.fail(path.index(i), name, err)
		}
		texts[i] = text
	}
	return texts, nil
}
