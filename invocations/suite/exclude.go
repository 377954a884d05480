package suite

import (
	"errors"
	"maps"
	"slices"
)

// exclude removes the points at which all of its axes have one of the given values.
type exclude struct {
	path       keyPath
	label      string
	conditions []condition
}

// condition is one key of an exclude. Values are compared as texts, so 64 and 64.0 are the same.
type condition struct {
	path   keyPath
	label  string
	axis   string
	values map[string]bool
}

func (p *parser) exclude(t table) (exclude, error) {
	x := exclude{path: t.path, label: t.name}
	for _, key := range p.keysOf(t) {
		path, label := t.child(key)
		c := condition{path: path, label: label, axis: key, values: map[string]bool{}}
		list, isList := t.values[key].([]any)
		if !isList {
			list = []any{t.values[key]}
		}
		if len(list) == 0 {
			return x, p.fail(path, label, errors.New("has no values: list at least one or remove the key"))
		}
		for _, v := range list {
			text, err := scalarText(v)
			if err != nil {
				return x, p.fail(path, label, err)
			}
			c.values[text] = true
		}
		x.conditions = append(x.conditions, c)
	}
	if len(x.conditions) == 0 {
		return x, p.fail(t.path, t.name,
			errors.New("names no axis and so excludes everything: name an axis and its values"))
	}
	return x, nil
}

// lacks returns the first condition of x on an axis that e does not have, nil if e has all.
func (e entry) lacks(x exclude) *condition {
	for i, c := range x.conditions {
		if e.axis(c.axis) < 0 {
			return &x.conditions[i]
		}
	}
	return nil
}

// never returns the first condition of x with a value that its axis never has, and that value; nil if there is none.
// All axes of x must be axes of e.
func (e entry) never(x exclude) (*condition, string) {
	for i := range x.conditions {
		c := &x.conditions[i]
		left := maps.Clone(c.values)
		for text := range e.axes[e.axis(c.axis)].texts() {
			delete(left, text)
		}
		if len(left) > 0 {
			return c, slices.Min(slices.Collect(maps.Keys(left)))
		}
	}
	return nil, ""
}

// removes reports whether x removes a point. All axes of x must be axes of e.
func (e entry) removes(x exclude) bool {
	for _, c := range x.conditions {
		met := false
		for text := range e.axes[e.axis(c.axis)].texts() {
			met = met || c.values[text]
		}
		if !met {
			return false
		}
	}
	return true
}

// excluded reports whether one of the excludes removes the point at which the axes have these texts.
func (e entry) excluded(texts map[string]string) bool {
	for _, x := range e.excludes {
		all := true
		for _, c := range x.conditions {
			if !c.values[texts[c.axis]] {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}
