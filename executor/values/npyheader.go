package values

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxDimensions is at least the number of dimensions of any NumPy array (64 since 2.0).
const maxDimensions = 64

// parseNPYHeader reads the Python dictionary literal of a .npy header: the keys descr, fortran_order and shape, each
// once.
func parseNPYHeader(text string) (npyHeader, error) {
	p := npyParser{text: text}
	var header npyHeader
	seen := map[string]bool{}
	err := p.expect("{")
	for err == nil && !p.accept("}") {
		if err = p.entry(&header, seen); err == nil && !p.accept(",") {
			err = p.expect("}")
			break
		}
	}
	if err == nil && strings.TrimLeft(p.text[p.at:], " \n") != "" {
		err = errors.New("something follows the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if err == nil && !seen[key] {
			err = fmt.Errorf("the key %q is missing", key)
		}
	}
	if err != nil {
		return npyHeader{}, fmt.Errorf("header, byte %d: %w", p.at, err)
	}
	return header, nil
}

// npyParser reads the few Python literals that a header contains.
type npyParser struct {
	text string
	at   int
}

func (p *npyParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *npyParser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *npyParser) expect(token string) error {
	if !p.accept(token) {
		return fmt.Errorf("want %q", token)
	}
	return nil
}

func (p *npyParser) entry(header *npyHeader, seen map[string]bool) error {
	key, err := p.quoted()
	if err != nil {
		return err
	}
	if seen[key] {
		return fmt.Errorf("the key %q appears twice", key)
	}
	seen[key] = true
	if err := p.expect(":"); err != nil {
		return err
	}
	switch key {
	case "descr":
		if p.accept("[") {
			return errors.New("the dtype is a structure; save one plain array")
		}
		header.descr, err = p.quoted()
	case "fortran_order":
		header.fortranOrder = p.accept("True")
		if !header.fortranOrder {
			err = p.expect("False")
		}
	case "shape":
		header.shape, err = p.tuple()
	default:
		err = fmt.Errorf("the key %q is not known", key)
	}
	return err
}

// quoted reads a string without escapes, which NumPy never writes here.
func (p *npyParser) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.accept(quote) {
			value, _, closed := strings.Cut(p.text[p.at:], quote)
			if !closed {
				return "", errors.New("a string does not end")
			}
			p.at += len(value) + 1
			return value, nil
		}
	}
	return "", errors.New("want a quoted string")
}

// tuple reads integers in parentheses. Python 2 wrote some of them with an L at the end.
func (p *npyParser) tuple() ([]int64, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var shape []int64
	for !p.accept(")") {
		p.space()
		end := p.at
		for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
			end++
		}
		n, err := strconv.ParseInt(p.text[p.at:end], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a dimension: %w", err)
		}
		p.at = end
		p.accept("L")
		if shape = append(shape, n); len(shape) > maxDimensions {
			return nil, fmt.Errorf("more than %d dimensions", maxDimensions)
		}
		if !p.accept(",") {
			return shape, p.expect(")")
		}
	}
	return shape, nil
}
