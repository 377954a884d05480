package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// value is a result of an operation in a program: a tensor of a static shape.
type value struct {
	name    string // "%3"
	shape   []int
	element string // "f32"
}

// kind returns the type, "tensor<1x64xf32>".
func (v value) kind() string { return tensorType(v.shape, v.element) }

func tensorType(shape []int, element string) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, n := range shape {
		b.WriteString(strconv.Itoa(n) + "x")
	}
	return b.String() + element + ">"
}

// module writes the text of a StableHLO program, an operation at a time.
type module struct {
	text strings.Builder
	next int // number of the next value
}

// line writes a line of the body.
func (m *module) line(format string, args ...any) {
	fmt.Fprintf(&m.text, "  "+format+"\n", args...)
}

func (m *module) fresh(shape []int, element string) value {
	m.next++
	return value{fmt.Sprintf("%%%d", m.next-1), shape, element}
}

// function returns the whole program, whose function main takes the inputs and returns the result.
func (m *module) function(inputs []value, result value) string {
	var arguments []string
	for _, v := range inputs {
		arguments = append(arguments, v.name+": "+v.kind())
	}
	return fmt.Sprintf("func.func @main(%s) -> %s {\n%s  return %s : %s\n}\n",
		strings.Join(arguments, ", "), result.kind(), m.text.String(), result.name, result.kind())
}

// apply writes an operation whose operands and result are of one type.
func (m *module) apply(operation string, operands ...value) value {
	r := m.fresh(operands[0].shape, operands[0].element)
	names := make([]string, len(operands))
	for i, o := range operands {
		names[i] = o.name
	}
	m.line("%s = stablehlo.%s %s : %s", r.name, operation, strings.Join(names, ", "), r.kind())
	return r
}

// constant writes a tensor that has one number everywhere.
func (m *module) constant(number, element string, shape ...int) value {
	if isFloat(element) && !strings.ContainsAny(number, ".xe") {
		number += ".0"
	}
	r := m.fresh(shape, element)
	m.line("%s = stablehlo.constant dense<%s> : %s", r.name, number, r.kind())
	return r
}

// like writes a constant of the type of another value.
func (m *module) like(v value, number string) value { return m.constant(number, v.element, v.shape...) }

func isFloat(element string) bool { return element[0] == 'f' || element[0] == 'b' }

func (m *module) retyped(operation string, v value, shape []int, element string) value {
	r := m.fresh(shape, element)
	m.line("%s = stablehlo.%s %s : (%s) -> %s", r.name, operation, v.name, v.kind(), r.kind())
	return r
}

func (m *module) convert(v value, element string) value {
	if v.element == element {
		return v
	}
	return m.retyped("convert", v, v.shape, element)
}

func (m *module) bitcast(v value, element string) value {
	return m.retyped("bitcast_convert", v, v.shape, element)
}

func (m *module) reshape(v value, shape ...int) value {
	if slices.Equal(v.shape, shape) {
		return v
	}
	return m.retyped("reshape", v, shape, v.element)
}

// spread broadcasts a value: its dimensions become the named ones of shape.
func (m *module) spread(v value, shape []int, dimensions ...int) value {
	r := m.fresh(shape, v.element)
	m.line("%s = stablehlo.broadcast_in_dim %s, dims = %s : (%s) -> %s", r.name, v.name, listed(dimensions), v.kind(),
		r.kind())
	return r
}

func (m *module) iota(shape []int, dimension int, element string) value {
	r := m.fresh(shape, element)
	m.line("%s = stablehlo.iota dim = %d : %s", r.name, dimension, r.kind())
	return r
}

func (m *module) compare(direction string, a, b value) value {
	r := m.fresh(a.shape, "i1")
	kind := "SIGNED"
	switch {
	case isFloat(a.element):
		kind = "FLOAT"
	case a.element[0] == 'u':
		kind = "UNSIGNED"
	}
	m.line("%s = stablehlo.compare %s, %s, %s, %s : (%s, %s) -> %s",
		r.name, direction, a.name, b.name, kind, a.kind(), b.kind(), r.kind())
	return r
}

// choose takes a where a condition, a single one or one for each element, holds, else b.
func (m *module) choose(condition, a, b value) value {
	r := m.fresh(a.shape, a.element)
	m.line("%s = stablehlo.select %s, %s, %s : %s, %s", r.name, condition.name, a.name, b.name, condition.kind(),
		a.kind())
	return r
}

// between limits a value to a range.
func (m *module) between(least string, v value, most string) value {
	low, high := m.like(v, least), m.like(v, most)
	return m.apply("clamp", low, v, high)
}

// reduce reduces along a dimension, which vanishes.
func (m *module) reduce(operation string, v value, initial string, dimension int) value {
	start := m.constant(initial, v.element)
	r := m.fresh(slices.Delete(slices.Clone(v.shape), dimension, dimension+1), v.element)
	m.line("%s = stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%d] : (%s, %s) -> %s",
		r.name, v.name, start.name, operation, dimension, v.kind(), start.kind(), r.kind())
	return r
}

// slice takes the elements from..to along a dimension.
func (m *module) slice(v value, dimension, from, to int) value {
	shape := slices.Clone(v.shape)
	var ranges []string
	for i, n := range shape {
		if i != dimension {
			ranges = append(ranges, fmt.Sprintf("0:%d", n))
			continue
		}
		ranges = append(ranges, fmt.Sprintf("%d:%d", from, to))
		shape[i] = to - from
	}
	r := m.fresh(shape, v.element)
	m.line("%s = stablehlo.slice %s [%s] : (%s) -> %s", r.name, v.name, strings.Join(ranges, ", "), v.kind(), r.kind())
	return r
}

func (m *module) concatenate(dimension int, parts ...value) value {
	shape := slices.Clone(parts[0].shape)
	shape[dimension] = 0
	var names, kinds []string
	for _, p := range parts {
		shape[dimension] += p.shape[dimension]
		names, kinds = append(names, p.name), append(kinds, p.kind())
	}
	r := m.fresh(shape, parts[0].element)
	m.line("%s = stablehlo.concatenate %s, dim = %d : (%s) -> %s",
		r.name, strings.Join(names, ", "), dimension, strings.Join(kinds, ", "), r.kind())
	return r
}

// window takes a part of a value of a size, from a place that is known at run time.
func (m *module) window(v value, at []value, size ...int) value {
	r := m.fresh(size, v.element)
	m.line("%s = stablehlo.dynamic_slice %s, %s, sizes = %s : (%s%s) -> %s",
		r.name, v.name, valueNames(at), listed(size), v.kind(), strings.Repeat(", tensor<i32>", len(at)), r.kind())
	return r
}

// update replaces a part of a value from a place that is known at run time.
func (m *module) update(v, part value, at ...value) value {
	r := m.fresh(v.shape, v.element)
	m.line("%s = stablehlo.dynamic_update_slice %s, %s, %s : (%s, %s%s) -> %s",
		r.name, v.name, part.name, valueNames(at), v.kind(), part.kind(),
		strings.Repeat(", tensor<i32>", len(at)), r.kind())
	return r
}

// dot multiplies matrices, those of equal t if they have three dimensions.
func (m *module) dot(a, b value, element string) value {
	shape := []int{a.shape[0], b.shape[1]}
	dimensions := "contracting_dims = [1] x [0]"
	if len(a.shape) == 3 {
		shape = []int{a.shape[0], a.shape[1], b.shape[2]}
		dimensions = "batching_dims = [0] x [0], contracting_dims = [2] x [1]"
	}
	r := m.fresh(shape, element)
	m.line("%s = stablehlo.dot_general %s, %s, %s : (%s, %s) -> %s", r.name, a.name, b.name, dimensions, a.kind(),
		b.kind(), r.kind())
	return r
}

// loop writes a loop over i from..below, two integers that are known at run time. The body gets i and what the loop
// carries, and returns what it carries on.
func (m *module) loop(from, below value, carried value, body func(i, carried value) value) value {
	i, c := m.fresh(nil, "i32"), m.fresh(carried.shape, carried.element)
	results := m.fresh(nil, "")
	m.line("%s:2 = stablehlo.while(%s = %s, %s = %s) : %s, %s", results.name, i.name, from.name, c.name, carried.name,
		i.kind(), c.kind())
	m.line("cond {")
	goesOn := m.compare("LT", i, below)
	m.line("stablehlo.return %s : %s", goesOn.name, goesOn.kind())
	m.line("} do {")
	after := body(i, c)
	next := m.apply("add", i, m.constant("1", "i32"))
	m.line("stablehlo.return %s, %s : %s, %s", next.name, after.name, next.kind(), after.kind())
	m.line("}")
	return value{results.name + "#1", carried.shape, carried.element}
}

func listed(numbers []int) string {
	return "[" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]") + "]"
}

func valueNames(list []value) string {
	var names []string
	for _, v := range list {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}
