package operations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// node is a JSON value that knows its line.
type node struct {
	line    int
	kind    string // "object", "list", "string", "number", "true or false", "null"
	members []member
	items   []node
	text    string // of a string or number
}

type member struct {
	key   string
	line  int
	value node
}

// depthMost bounds how deep values may lie in each other.
const depthMost = 16

// parseJSON reads one JSON value and nothing after it. A key that an object has twice is an error.
func parseJSON(name string, data []byte) (node, error) {
	return (&jsonParser{name: name, data: data}).parse()
}

func (p *jsonParser) parse() (node, error) {
	p.decoder = json.NewDecoder(bytes.NewReader(p.data))
	p.decoder.UseNumber()
	n, err := p.value(0)
	if err == nil {
		if _, err = p.decoder.Token(); errors.Is(err, io.EOF) {
			return n, nil
		}
		err = p.fail(errors.New("something follows the list"))
	}
	return node{}, err
}

type jsonParser struct {
	name    string
	data    []byte
	decoder *json.Decoder
	// repeated says that the last of equal keys of an object counts, as in Python. Otherwise they are an error.
	repeated bool
}

// line returns the line in which the last token ends.
func (p *jsonParser) line() int {
	return 1 + bytes.Count(p.data[:min(int(p.decoder.InputOffset()), len(p.data))], []byte{'\n'})
}

func (p *jsonParser) fail(err error) error {
	line := p.line()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line = 1 + bytes.Count(p.data[:min(int(syntax.Offset), len(p.data))], []byte{'\n'})
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends in the middle of a value")
	}
	return fmt.Errorf("%s:%d: %w", p.name, line, err)
}

func (p *jsonParser) value(depth int) (node, error) {
	if depth > depthMost {
		return node{}, p.fail(fmt.Errorf("more than %d values lie in each other", depthMost))
	}
	token, err := p.decoder.Token()
	if err != nil {
		return node{}, p.fail(err)
	}
	n := node{line: p.line()}
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			return p.list(n, depth)
		}
		return p.object(n, depth)
	case string:
		n.kind, n.text = "string", t
	case json.Number:
		n.kind, n.text = "number", t.String()
	case bool:
		n.kind = "true or false"
	case nil:
		n.kind = "null"
	}
	return n, nil
}

func (p *jsonParser) list(n node, depth int) (node, error) {
	n.kind = "list"
	for p.decoder.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	return n, p.end()
}

func (p *jsonParser) object(n node, depth int) (node, error) {
	n.kind = "object"
	seen := map[string]bool{}
	for p.decoder.More() {
		token, err := p.decoder.Token()
		if err != nil {
			return n, p.fail(err)
		}
		key, line := token.(string), p.line() // a decoder accepts nothing else here
		if seen[key] && !p.repeated {
			return n, p.fail(fmt.Errorf("the key %q is there twice", key))
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		if seen[key] {
			n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.key == key })
		}
		seen[key] = true
		n.members = append(n.members, member{key, line, value})
	}
	return n, p.end()
}

func (p *jsonParser) end() error {
	if _, err := p.decoder.Token(); err != nil {
		return p.fail(err)
	}
	return nil
}
