package operations

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v4"
)

// node is a value of a file that knows its line.
type node struct {
	line    int
	kind    string // of kinds
	members []member
	items   []node
	text    string // of a string or number
}

type member struct {
	key   string
	line  int
	value node
}

// kinds are the kinds of values, for people, by their tags.
var kinds = map[string]string{
	"!!map": "object", "!!seq": "list", "!!str": "string", "!!int": "number", "!!float": "number",
	"!!bool": "true or false", "!!null": "null",
}

// fileMost bounds the size of a file.
const fileMost = 256 << 20

// parseNode reads one value and nothing after it: YAML, and so JSON, too. repeated says that the last of equal keys of
// an object counts, as in Python; otherwise they are an error.
func parseNode(name string, data []byte, repeated bool) (node, error) {
	if len(data) > fileMost {
		return node{}, fmt.Errorf("%s: the file has more than %d bytes", name, fileMost)
	}
	var document, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return node{}, syntaxError(name, err)
	}
	if len(document.Content) == 0 {
		return node{line: 1, kind: kinds["!!null"]}, nil
	}
	n, err := newNode(document.Content[0], repeated)
	if err != nil {
		return node{}, fmt.Errorf("%s:%w", name, err)
	}
	switch err := decoder.Decode(&more); {
	case err == nil:
		return node{}, fmt.Errorf("%s:%d: something follows the list", name, more.Line)
	case !errors.Is(err, io.EOF):
		return node{}, syntaxError(name, err)
	}
	return n, nil
}

// syntaxError returns an error of the decoder with its line.
func syntaxError(name string, err error) error {
	var at *yaml.LoadError
	if errors.As(err, &at) {
		return fmt.Errorf("%s:%d: %s", name, at.Mark.Line, at.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func newNode(n *yaml.Node, repeated bool) (node, error) {
	out := node{line: n.Line, kind: cmp.Or(kinds[n.ShortTag()], "value of a kind of its own"), text: n.Value}
	seen := map[string]bool{}
	switch n.Kind {
	case yaml.AliasNode:
		out.kind = "reference" // it is not followed: references in references may name more than memory holds
	case yaml.SequenceNode:
		for _, item := range n.Content {
			value, err := newNode(item, repeated)
			if err != nil {
				return out, err
			}
			out.items = append(out.items, value)
		}
	case yaml.MappingNode:
		for pair := range slices.Chunk(n.Content, 2) {
			key, line := pair[0].Value, pair[0].Line
			if seen[key] && !repeated {
				return out, fmt.Errorf("%d: the key %q is there twice", line, key)
			}
			value, err := newNode(pair[1], repeated)
			if err != nil {
				return out, err
			}
			if seen[key] {
				out.members = slices.DeleteFunc(out.members, func(m member) bool { return m.key == key })
			}
			seen[key] = true
			out.members = append(out.members, member{key, line, value})
		}
	}
	return out, nil
}

// described names what a value is, for people.
func (n *node) described() string {
	switch {
	case n.kind == "list" && len(n.items) == 0:
		return "an empty list"
	case n.kind == "object":
		return "an object"
	}
	return "a " + n.kind
}

// on returns the value with the line of the text that holds it.
func (n node) on(line int) *node {
	n.line = line
	n.members, n.items = slices.Clone(n.members), slices.Clone(n.items)
	for i := range n.members {
		n.members[i].line, n.members[i].value = line, *n.members[i].value.on(line)
	}
	for i := range n.items {
		n.items[i] = *n.items[i].on(line)
	}
	return &n
}
