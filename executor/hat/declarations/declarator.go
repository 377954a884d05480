package declarations

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations/spelling"
)

// errUnknown reports a name that is no constant.
var errUnknown = errors.New("unknown name")

// combining are the words of which a type may have several.
var combining = []string{"signed", "unsigned", "char", "short", "int", "long"}

// TypeNames returns the names of arithmetic types that are known without a typedef. "unsigned", "long" and others
// combine, as C allows.
func TypeNames() []string {
	return append(slices.Clone(combining), "float", "double", "bool", "_Bool", "size_t", "ssize_t", "ptrdiff_t",
		"intptr_t", "uintptr_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
		"float16_t", "bfloat16_t", "_Float16", "__fp16", "__bf16")
}

// qualifiers are the words within a type that change nothing of how it is passed. const is another one.
var qualifiers = []string{"volatile", "restrict", "__restrict", "__restrict__", "__volatile__", "register", "auto"}

func isQualifier(t token) bool {
	return t.is("const") || t.kind == word && slices.Contains(qualifiers, t.text)
}

// declarator reads the types and parameters of one function, and adds what is wrong to it.
type declarator struct {
	*reader
	function *Function
}

func (d *declarator) wrong(t token, format string, args ...any) {
	d.function.Problems = append(d.function.Problems, d.problem(t, fmt.Sprintf(format, args...)))
}

// result reads the type of the return value, before the name of the function.
func (d *declarator) result(list []token, name token) Type {
	if len(list) == 0 {
		d.wrong(name, "the type of the return value is missing; write void %s(…)", name.text)
		return Type{}
	}
	return d.typeOf(list)
}

// typeOf reads a type: words, then stars with qualifiers.
func (d *declarator) typeOf(list []token) (t Type) {
	star := slices.IndexFunc(list, func(t token) bool { return t.is("*") })
	if star < 0 {
		star = len(list)
	}
	var words []token
	for _, w := range list[:star] {
		switch {
		case w.is("const"):
			t.Const = true
		case !isQualifier(w):
			words = append(words, w)
		}
	}
	for _, w := range list[star:] {
		switch {
		case w.is("*"):
			t.Pointers++
		case !isQualifier(w):
			d.wrong(w, "%q is not understood in a type", w.text)
			return t
		}
	}
	if len(words) == 0 {
		d.wrong(list[0], "a type is missing here")
		return t
	}
	base := d.baseOf(words)
	t.Name, t.Pointers = base.Name, t.Pointers+base.Pointers
	t.Const = t.Const || base.Const
	return t
}

// baseOf reads the words of a type.
func (d *declarator) baseOf(words []token) Type {
	first := words[0]
	switch {
	case first.is("struct") || first.is("union"):
		d.wrong(first, "a structure cannot be handed over; write a function that takes its arrays and numbers one by one")
		return Type{}
	case first.is("enum"):
		return Type{Name: "int"}
	case len(words) == 1 && first.is("void"):
		return Type{Name: "void"}
	}
	known := TypeNames()
	var names []string
	for i, w := range words {
		resolved, defined := d.typedefs[w.text]
		switch {
		case w.kind == word && slices.Contains(known, w.text):
		case defined && len(words) == 1:
			return resolved
		case w.is("void") || defined:
			d.wrong(w, "%q does not combine with other types", w.text)
			return Type{}
		case i > 0 && i+1 < len(words):
			d.wrong(words[i+1], "a comma is missing before this")
			return Type{}
		default:
			for name := range d.typedefs {
				known = append(known, name)
			}
			slices.Sort(known)
			d.wrong(w, "%q is no arithmetic type%s", w.text, spelling.Suggest(w.text, known))
			return Type{}
		}
		names = append(names, w.text)
	}
	i := slices.IndexFunc(words, func(w token) bool { return !slices.Contains(combining, w.text) })
	if i >= 0 && len(words) > 1 {
		d.wrong(words[i], "%q is not supported; use float or double, or one of the types of stdint.h",
			strings.Join(names, " "))
		return Type{}
	}
	return Type{Name: strings.Join(names, " ")}
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
			d.wrong(t, "a pointer to a function or to an array is not supported; an array has all bounds: float a[n][m]")
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
	isType := slices.Contains(TypeNames(), at.text)
	if at.kind == word && !isQualifier(at) && !isType && slices.ContainsFunc(before, func(t token) bool {
		return !isQualifier(t)
	}) && !before[len(before)-1].is("struct") && !before[len(before)-1].is("union") && !before[len(before)-1].is("enum") {
		p.Name, head = at.text, before
	}
	known := len(d.function.Problems)
	p.Type = d.typeOf(head)
	if len(d.function.Problems) == known {
		d.checkPassing(&p, at, len(bounds))
	}
	return p, bounds
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
	case p.Type.Name == "void" && p.Type.Pointers == 0:
		d.wrong(at, "a parameter cannot be void")
	case p.Type.Name == "void":
		d.wrong(at, "%s has no element type and no shape; write, for example, %sfloat %s[n]", shaped, constant, shaped)
	case p.Type.Pointers == 1:
		d.wrong(at, "%s has no shape; write %s%s %s[n], where n is a parameter or a number", shaped, constant, p.Type.Name,
			shaped)
	case p.Name == "" && dimensions == 0:
		d.wrong(at, "a number needs a name, by which it gets its value; write %s n", p.Type.Name)
	}
}

// bound reads one bound with its brackets.
func (d *declarator) bound(list []token, array string) Expression {
	inner := list[1 : len(list)-1]
	for len(inner) > 0 && isQualifier(inner[0]) {
		inner = inner[1:]
	}
	if len(inner) == 0 || len(inner) == 1 && inner[0].is("*") {
		d.wrong(list[0], "a bound of %s is missing; write a parameter, a number or an expression such as n*m", array)
		return Expression{}
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
	e = d.withConstants(e)
	if n, constant := e.Constant(); constant && n < 1 {
		d.wrong(inner[0], "a bound of %s is %d; it must be at least 1", array, n)
	}
	return e
}

// withConstants returns the expression with the values of enumerators.
func (d *declarator) withConstants(e Expression) Expression {
	switch {
	case e.operator != 0:
		return joined(e.operator, d.withConstants(*e.left), d.withConstants(*e.right))
	case e.name != "" && !slices.ContainsFunc(d.function.Parameters, func(p Parameter) bool { return p.Name == e.name }):
		if n, err := d.constant(e.name); err == nil {
			return Number(n)
		}
	}
	return e
}

// checkName checks a name in a bound. It is an integer parameter or an enumerator.
func (d *declarator) checkName(t token) {
	var integers []string
	for _, p := range d.function.Parameters {
		integer := p.Type.Pointers == 0 && p.Bounds == nil && !strings.Contains(p.Type.Name, "float") &&
			!strings.Contains(strings.ToLower(p.Type.Name), "fp16") && p.Type.Name != "double" && p.Type.Name != "__bf16" &&
			p.Type.Name != "_Float16"
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
	d.wrong(t, "%s is no parameter of %s%s", t.text, d.function.Name, spelling.SuggestOrList(t.text, integers))
}
