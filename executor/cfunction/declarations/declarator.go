package declarations

import (
	"errors"
	"fmt"
	"slices"

	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations/spelling"
)

// errUnknown reports a name that is no constant.
var errUnknown = errors.New("unknown name")

// declarator reads the types and parameters of one function, and adds what is wrong to it.
type declarator struct {
	*reader
	function *Function
}

func (d *declarator) wrong(t token, format string, args ...any) {
	d.wrongIn(OtherProblem, t, format, args...)
}

// wrongIn is like wrong, for a problem of a kind.
func (d *declarator) wrongIn(kind ProblemKind, t token, format string, args ...any) {
	p := d.problem(t, fmt.Sprintf(format, args...))
	p.Kind = kind
	d.function.Problems = append(d.function.Problems, p)
}

// result reads the type of the return value, before the name of the function.
func (d *declarator) result(list []token, name token) Type {
	if len(list) == 0 {
		d.wrong(name, "the type of the return value is missing; write void %s(…)", name.text)
		return Type{}
	}
	t := d.typeOf(list)
	if t.members > 0 {
		d.wrong(list[0], "a structure cannot be returned; write a function that returns a number, or writes to an array")
	}
	return t
}

// parameters reads the list of parameters with its parentheses.
func (d *declarator) parameters(list []token) {
	if !list[len(list)-1].is(")") {
		d.wrong(list[0], "the parenthesis is not closed")
		return
	}
	inner := list[1 : len(list)-1]
	if len(inner) == 0 || len(inner) == 1 && inner[0].is("void") {
		return
	}
	bounds := make([][][]token, 0)
	end := list[len(list)-1]
	parts := split(inner)
	for i, part := range parts {
		if len(part) == 0 {
			at := end
			if i+1 < len(parts) && len(parts[i+1]) > 0 {
				at = parts[i+1][0]
			}
			d.wrong(at, "a parameter is missing before this")
			return
		}
		p, b := d.parameter(part)
		d.function.Parameters, bounds = append(d.function.Parameters, p), append(bounds, b)
	}
	for i, dimensions := range bounds {
		for _, dimension := range dimensions {
			p := &d.function.Parameters[i]
			p.Bounds = append(p.Bounds, d.bound(dimension, p.Name))
		}
	}
}

// parameter reads a parameter. It returns the tokens of its bounds, since they may name parameters that come later.
func (d *declarator) parameter(list []token) (p Parameter, bounds [][]token) {
	if list[0].is("...") {
		d.wrong(list[0], "a variable number of arguments is not supported; write a function that takes a fixed number")
		return p, nil
	}
	for _, t := range list {
		if t.is("(") {
			d.wrong(t, "a pointer to a function or to an array is not supported; an array has all bounds: "+
				"float a[n][m]")
			return p, nil
		}
		if t.is("[") {
			break
		}
	}
	head, bounds, ok := d.dimensions(list)
	if !ok {
		return p, nil
	}
	at, before := head[len(head)-1], head[:len(head)-1]
	if isName(at, before) {
		p.Name, head = at.text, before
	}
	known := len(d.function.Problems)
	p.Type = d.typeOf(head)
	if len(d.function.Problems) == known {
		d.checkPassing(&p, at, len(bounds))
	}
	return p, bounds
}

// isName reports whether the last word before the bounds of a parameter is its name, and not part of its type.
func isName(t token, before []token) bool {
	if t.kind != word || isQualifier(t) || slices.Contains(TypeNames(), t.text) || len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	return !last.is("struct") && !last.is("union") && !last.is("enum") &&
		slices.ContainsFunc(before, func(t token) bool { return !isQualifier(t) })
}

// dimensions splits a parameter into what stands before its bounds, and the bounds.
func (d *declarator) dimensions(list []token) (head []token, bounds [][]token, ok bool) {
	open := slices.IndexFunc(list, func(t token) bool { return t.is("[") })
	switch {
	case open < 0:
		return list, nil, true
	case open == 0:
		d.wrong(list[0], "a type and a name are missing before the bounds")
		return nil, nil, false
	}
	match := closings(list)
	for i := open; i < len(list); i = match[i] + 1 {
		if !list[i].is("[") || !list[match[i]].is("]") {
			d.wrong(list[i], "%q is not understood after a bound", list[i].text)
			return nil, nil, false
		}
		bounds = append(bounds, list[i:match[i]+1])
	}
	return list[:open], bounds, true
}

// checkPassing checks that the value of a parameter can be made with what is known of it. at is its name, or else the
// last word of its type.
func (d *declarator) checkPassing(p *Parameter, at token, dimensions int) {
	shaped := p.Name
	if shaped == "" {
		shaped = "x"
	}
	constant := ""
	if p.Type.Const {
		constant = "const "
	}
	switch {
	case p.Type.Pointers > 1, p.Type.Pointers == 1 && dimensions > 0:
		d.wrong(at, "an array of pointers is not supported; write a function that takes the arrays one by one")
	case p.Type.members > 0 && p.Type.Pointers == 0 && dimensions == 0:
		d.wrong(at, "a structure cannot be handed over; write a function that takes its arrays and numbers one by one")
	case p.Type.members > 0:
		d.wrongIn(NoShape, at, "%s has structures as elements; a prototype of your own can have them as numbers, such as "+
			"%s%s %s[n][%d]", shaped, constant, p.Type.Name, shaped, p.Type.members)
	case p.Type.Name == "void" && p.Type.Pointers == 0:
		d.wrong(at, "a parameter cannot be void")
	case p.Type.Name == "void":
		d.wrongIn(NoShape, at, "%s has no element type and no shape; write, for example, %sfloat %s[n]", shaped, constant, shaped)
	case p.Type.Pointers == 1:
		d.wrongIn(NoShape, at, "%s has no shape; write %s%s %s[n], where n is a parameter or a number", shaped, constant,
			p.Type.Name, shaped)
	case p.Name == "" && dimensions == 0:
		d.wrongIn(NoName, at, "a number needs a name, by which it gets its value; write %s n", p.Type.Name)
	}
}

// bound reads one bound with its brackets.
func (d *declarator) bound(list []token, array string) sizes.Expression {
	inner := list[1 : len(list)-1]
	for len(inner) > 0 && isQualifier(inner[0]) {
		inner = inner[1:]
	}
	if len(inner) == 0 || len(inner) == 1 && inner[0].is("*") {
		d.wrong(list[0], "a bound of %s is missing; write a parameter, a number or an expression such as n*m", array)
		return sizes.Expression{}
	}
	parser := expressionParser{tokens: inner}
	e, err := parser.parse()
	if err != nil {
		at := list[len(list)-1]
		if err.at < len(inner) {
			at = inner[err.at]
		}
		d.wrong(at, "%s", err.message)
		return e
	}
	for _, t := range inner {
		if t.kind == word {
			d.checkName(t)
		}
	}
	e = e.With(d.enumerator)
	if n, constant := e.Constant(); constant && n < 1 {
		d.wrong(inner[0], "a bound of %s is %d; it must be at least 1", array, n)
	}
	return e
}

// enumerator returns the value of an enumerator that no parameter hides.
func (d *declarator) enumerator(name string) (value int64, known bool) {
	if slices.ContainsFunc(d.function.Parameters, func(p Parameter) bool { return p.Name == name }) {
		return 0, false
	}
	c, known := d.constants[name]
	return c.value, known
}

// checkName checks a name in a bound. It is an integer parameter or an enumerator.
func (d *declarator) checkName(t token) {
	var integers []string
	for _, p := range d.function.Parameters {
		integer := p.Type.Pointers == 0 && p.Bounds == nil && !slices.Contains(floats, p.Type.Name)
		switch {
		case p.Name == t.text && integer:
			return
		case p.Name == t.text:
			d.wrong(t, "%s is no integer, which a bound needs", t.text)
			return
		case integer && p.Name != "":
			integers = append(integers, p.Name)
		}
	}
	if _, err := d.constant(t.text); err == nil {
		return
	}
	d.wrongIn(UnknownName, t, "%s is no parameter of %s%s", t.text, d.function.Name, spelling.SuggestOrList(t.text, integers))
}
