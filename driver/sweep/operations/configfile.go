package operations

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
)

// WriteConfigurations writes configurations as test_configs.yaml has them: a list with one configuration on each line,
// its test_id and the numbers of all variables.
func WriteConfigurations(w io.Writer, list []Configuration) error {
	var b bytes.Buffer
	for i := range list {
		fmt.Fprintf(&b, "- {test_id: %d", list[i].Index)
		for j, v := range list[i].variables {
			fmt.Fprintf(&b, ", %s: %s", v.Name, trimmed(list[i].values[j]))
		}
		b.WriteString("}\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ParseConfigurations reads what WriteConfigurations writes, or a list of one's own: variables that a configuration
// does not name have the first of their default values, or are derived. Test ids are optional; without them the place
// counts. Every configuration must keep the constraints. Errors name the line.
func ParseConfigurations(name string, data []byte, o *Operation) ([]Configuration, error) {
	variables, err := Variables(o.Type)
	if err != nil {
		return nil, fmt.Errorf("%s: operation %s: %w", name, o.Name, err)
	}
	document, err := parseNode(name, data, false)
	if err != nil {
		return nil, err
	}
	if len(document.items) == 0 {
		return nil, fmt.Errorf("%s: want a list of configurations with at least one", name)
	}
	var list []Configuration
	ids := map[int]bool{}
	for i := range document.items {
		item := &document.items[i]
		c := Configuration{Type: o.Type, Operation: o.Name, Index: i, variables: variables}
		if err := c.read(item); err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		if broken := (&c).Broken(); broken != nil {
			return nil, fmt.Errorf("%s:%d: configuration %d of %s breaks the constraint %s: %s",
				name, item.line, c.Index, o.Name, broken.Name, broken.Rule)
		}
		if ids[c.Index] {
			return nil, fmt.Errorf("%s:%d: the test_id %d is there twice", name, item.line, c.Index)
		}
		ids[c.Index] = true
		list = append(list, c)
	}
	return list, nil
}

// Broken returns the first constraint that a configuration breaks, nil if it keeps all.
func (c *Configuration) Broken() *Constraint {
	for _, r := range Constraints() {
		if !r.kept(c) {
			return &r
		}
	}
	return nil
}

func (c *Configuration) read(n *node) error {
	if n.kind != "object" {
		return fmt.Errorf("%d: want a configuration {variable: value, …}", n.line)
	}
	c.values = make([]float64, len(c.variables))
	for i, v := range c.variables {
		if c.values[i] = math.NaN(); len(v.Default) > 0 {
			c.values[i] = v.Default[0]
		}
	}
	names := append(c.Names(), "test_id")
	for _, m := range n.members {
		at := slices.Index(names, m.key)
		if at < 0 {
			return fmt.Errorf("%d: an operation of type %s has no variable %q%s",
				m.line, c.Type, m.key, suggestion(m.key, names))
		}
		v := Variable{Name: "test_id", Most: productMost}
		if at < len(c.variables) {
			v = c.variables[at]
		}
		number, err := v.parse(m.value.kind, m.value.text)
		if err != nil {
			return fmt.Errorf("%d: %s: %w", m.value.line, m.key, err)
		}
		if at == len(c.variables) {
			c.Index = int(number)
		} else {
			c.values[at] = number
		}
	}
	c.derive()
	return nil
}
