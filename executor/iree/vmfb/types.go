package vmfb

import (
	"strconv"
	"strings"
)

// Kind is the kind of a value that is passed as an argument.
type Kind int

// The kinds of types.
const (
	Opaque Kind = iota // something else, or a tensor of unknown type
	Tensor
	Scalar
)

// Dynamic is a dimension that a caller chooses.
const Dynamic = -1

// Type is the type of an argument or result.
type Type struct {
	Kind    Kind
	Element string  // as MLIR writes it, "f32"; empty for Opaque
	Shape   []int64 // dimensions of a Tensor, Dynamic if open; empty for one element without dimensions
	Text    string  // as the declaration writes it
}

// readTypes takes arguments and results from the declaration if there is one that agrees with the calling convention.
// Otherwise it uses the calling convention, which has no tensor types.
func (f *Function) readTypes() {
	inputs, outputs, ok := splitConvention(f.CallingConvention)
	if f.Declaration != "" {
		arguments, results, parsed := parseDeclaration(f.Declaration)
		if parsed && (!ok || len(arguments) == len(inputs) && len(results) == len(outputs)) {
			f.Arguments, f.Results = arguments, results
			return
		}
	}
	f.Arguments, f.Results = conventionValues(inputs, "input"), conventionValues(outputs, "output")
}

// splitConvention splits a calling convention, "0rI_r", into its values: one letter each. It refuses lists and tuples,
// in braces, since a caller cannot pass them.
func splitConvention(text string) (inputs, outputs string, ok bool) {
	text, versioned := strings.CutPrefix(text, "0")
	inputs, outputs, _ = strings.Cut(text, "_")
	if !versioned || strings.Trim(inputs, "iIfFrv") != "" || strings.Trim(outputs, "iIfFrv") != "" {
		return "", "", false
	}
	return strings.Trim(inputs, "v"), strings.Trim(outputs, "v"), true
}

func conventionValues(letters, name string) (values []Value) {
	elements := map[rune]string{'i': "i32", 'I': "i64", 'f': "f32", 'F': "f64"}
	for i, letter := range letters {
		v := Value{Name: name + strconv.Itoa(i), Type: Type{Text: "!vm.ref<?>"}}
		if e := elements[letter]; e != "" {
			v.Type = Type{Kind: Scalar, Element: e, Text: e}
		}
		values = append(values, v)
	}
	return values
}

// parseDeclaration reads "sync func @f(%input0: tensor<4xf32>, …) -> (%output0: tensor<4xf32> {attributes}, …)".
func parseDeclaration(text string) (arguments, results []Value, ok bool) {
	_, rest, found := strings.Cut(text, "@")
	if !found {
		return nil, nil, false
	}
	if quoted, isQuoted := strings.CutPrefix(rest, `"`); isQuoted {
		if _, rest, found = strings.Cut(quoted, `"`); !found {
			return nil, nil, false
		}
	}
	_, rest, found = strings.Cut(rest, "(")
	if !found {
		return nil, nil, false
	}
	list, rest, found := cutBalanced(rest)
	if !found {
		return nil, nil, false
	}
	arguments = parseValues(list, "input")
	rest = strings.TrimSpace(rest)
	rest, found = strings.CutPrefix(rest, "->")
	if !found {
		return arguments, nil, rest == ""
	}
	rest = strings.TrimSpace(rest)
	if inner, parenthesized := strings.CutPrefix(rest, "("); parenthesized {
		if list, _, found = cutBalanced(inner); !found {
			return nil, nil, false
		}
		return arguments, parseValues(list, "output"), true
	}
	return arguments, parseValues(rest, "output"), true
}

// cutBalanced splits the text at the parenthesis that closes one opened before the text.
func cutBalanced(text string) (inside, rest string, ok bool) {
	depth, quoted := 1, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// parseValues reads "%input0: tensor<4xf32>, %input1: i32 {attributes}". Names may be missing.
func parseValues(list, name string) (values []Value) {
	for _, item := range splitTop(list) {
		v := Value{Name: name + strconv.Itoa(len(values))}
		if named, isNamed := strings.CutPrefix(item, "%"); isNamed {
			if n, rest, found := strings.Cut(named, ":"); found {
				v.Name, item = strings.TrimSpace(n), strings.TrimSpace(rest)
			}
		}
		if at := strings.Index(item, " {"); at >= 0 {
			item = strings.TrimSpace(item[:at])
		}
		v.Type = parseType(item)
		values = append(values, v)
	}
	return values
}

// splitTop splits at the commas that are outside brackets and trims the items.
func splitTop(list string) (items []string) {
	depth, start, quoted := 0, 0, false
	for i := range len(list) {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("(<[{", c) >= 0:
			depth++
		case c == '>' && i > 0 && list[i-1] == '-': // an arrow
		case strings.IndexByte(")>]}", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			items = append(items, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(list[start:]); last != "" {
		items = append(items, last)
	}
	return items
}

// parseType reads a type as MLIR writes it.
func parseType(text string) Type {
	inner, isTensor := strings.CutPrefix(text, "tensor<")
	if !isTensor {
		if plainElement(text) {
			return Type{Kind: Scalar, Element: text, Text: text}
		}
		return Type{Text: text}
	}
	inner, closed := strings.CutSuffix(inner, ">")
	inner, _, _ = strings.Cut(inner, ",") // an encoding
	t := Type{Kind: Tensor, Shape: []int64{}, Text: text}
	for {
		head, rest, more := strings.Cut(inner, "x")
		n, err := strconv.ParseInt(head, 10, 64)
		switch {
		case more && head == "?":
			t.Shape = append(t.Shape, Dynamic)
		case more && err == nil && n >= 0:
			t.Shape = append(t.Shape, n)
		case closed && inner != "" && !strings.ContainsAny(inner, "*?"):
			t.Element = inner
			return t
		default: // has no rank
			return Type{Text: text}
		}
		inner = rest
	}
}

// plainElement reports whether a text is the name of an integer or floating-point type.
func plainElement(text string) bool {
	text, _, _ = strings.Cut(text, "E") // f8E4M3FN
	for _, prefix := range []string{"i", "si", "ui", "f", "bf"} {
		if digits, ok := strings.CutPrefix(text, prefix); ok {
			if _, err := strconv.ParseUint(digits, 10, 16); err == nil {
				return true
			}
		}
	}
	return text == "index"
}
