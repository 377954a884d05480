package declarations

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// reader reads what stands at file scope.
type reader struct {
	text    string
	tokens  []token
	closing []int // of each token that opens a bracket: the index of the closing one
	Names
	members   []token // in the braces of the declaration that is read; nil: it has none
	functions []Function
	skipped   *Problem // with the first declaration that is none of a function
}

func newReader(name, text string, known Names) *reader {
	l := lexer{text: text, line: 1, file: name}
	r := &reader{text: text, tokens: l.tokens(), Names: known.clone()}
	r.closing = closings(r.tokens)
	return r
}

// closings returns, for each token that opens a bracket, the index of the token that closes it. A bracket that is not
// closed ends with the text.
func closings(tokens []token) []int {
	match, open := make([]int, len(tokens)), []int(nil)
	opens := map[string]string{")": "(", "]": "[", "}": "{"}
	for i, t := range tokens {
		match[i] = len(tokens) - 1
		if t.kind != sign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 && tokens[open[n-1]].text == opens[t.text] {
				match[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return match
}

func (r *reader) readAll() {
	for i := 0; i < len(r.tokens); {
		i = r.declaration(i)
	}
}

// declaration reads one declaration or definition, and returns the index of the token after it.
func (r *reader) declaration(from int) (next int) {
	var list []token
	for i := from; i < len(r.tokens); i++ {
		switch t := r.tokens[i]; {
		case t.is(";"):
			r.declared(list, false)
			return i + 1
		case t.is("(") || t.is("["):
			list = append(list, r.tokens[i:r.closing[i]+1]...)
			i = r.closing[i]
		case t.is("}"): // of extern "C"
			return i + 1
		case !t.is("{"):
			list = append(list, t)
		case len(list) == 2 && list[0].is("extern") && list[1].kind == quoted:
			return i + 1
		default:
			bare, _ := strip(list)
			if n := len(bare); n > 0 && bare[n-1].is(")") && !slices.ContainsFunc(bare, isAssignment) {
				r.declared(list, true)
				return r.closing[i] + 1
			}
			if slices.ContainsFunc(bare, func(t token) bool { return t.is("enum") }) {
				r.enumerators(r.tokens[i+1 : max(i+1, r.closing[i])])
			}
			r.members = r.tokens[i+1 : max(i+1, r.closing[i])]
			i = r.closing[i]
		}
	}
	r.declared(list, false)
	return len(r.tokens)
}

func isAssignment(t token) bool { return t.is("=") }

// specifiers are words before a declaration that change nothing of what is read. Those with true are followed by
// parentheses.
var specifiers = map[string]bool{
	"extern": false, "inline": false, "__inline": false, "__inline__": false, "__extension__": false,
	"_Noreturn": false, "noreturn": false, "__attribute__": true, "__attribute": true, "__declspec": true,
	"__asm__": true, "__asm": true, "asm": true, "_Alignas": true, "alignas": true, "static": false,
}

// strip returns tokens without specifiers and attributes, and whether one of them is static.
func strip(list []token) (bare []token, static bool) {
	match := closings(list)
	for i := 0; i < len(list); i++ {
		t := list[i]
		parenthesized, specifier := specifiers[t.text]
		switch {
		case t.kind == word && specifier:
			inBrackets := len(bare) > 0 && bare[len(bare)-1].is("[") // float x[static 4]
			static = static || t.text == "static" && !inBrackets
			if parenthesized && i+1 < len(list) && list[i+1].is("(") {
				i = match[i+1]
			}
		case t.is("[") && i+1 < len(list) && list[i+1].is("["): // [[attribute]]
			i = match[i]
		case t.kind == quoted && len(bare) == 0: // of extern "C"
		default:
			bare = append(bare, t)
		}
	}
	return bare, static
}

// declared takes the tokens of a declaration, or of a definition up to its body.
func (r *reader) declared(list []token, defined bool) {
	defer func() { r.members = nil }()
	bare, static := strip(list)
	if len(bare) == 0 {
		return
	}
	r.structured(bare)
	if bare[0].is("typedef") {
		r.structured(bare[1:])
		r.typedef(bare[1:])
		return
	}
	open := slices.IndexFunc(bare, func(t token) bool { return t.is("(") })
	// A function has a type, a name and parentheses around its parameters, and nothing after them.
	if open < 2 || bare[open-1].kind != word || closings(bare)[open] != len(bare)-1 ||
		slices.ContainsFunc(bare[:open], isAssignment) {
		r.skip(bare, open)
		return
	}
	name := bare[open-1]
	f := Function{Name: name.text, File: name.file, Line: name.line, Defined: defined, Static: static}
	d := declarator{reader: r, function: &f}
	f.Result = d.result(bare[:open-1], name)
	d.parameters(bare[open:])
	r.functions = append(r.functions, f)
}

// skip notes a declaration that is not one of a function. open is the index of its first parenthesis, or -1.
func (r *reader) skip(list []token, open int) {
	if r.skipped != nil || list[0].is("enum") { // prototypes may use its constants
		return
	}
	if name := list[0]; open == 1 && name.kind == word {
		r.skipped = r.problem(name, "the type of the return value is missing; write void "+name.text+"(…)")
		return
	}
	r.skipped = r.problem(list[0], "this is no prototype of a function; "+prototypeRemedy)
}

// typedef keeps the name of an arithmetic type, of a pointer to one, or of a structure.
func (r *reader) typedef(list []token) {
	if len(list) < 2 || list[len(list)-1].kind != word {
		return
	}
	if list[0].is("struct") && !slices.ContainsFunc(list, func(t token) bool { return t.is("*") }) {
		r.namedStructure(list)
	}
	d := declarator{reader: r, function: &Function{}}
	if t := d.typeOf(list[:len(list)-1]); len(d.function.Problems) == 0 {
		r.typedefs[list[len(list)-1].text] = t
	}
}

// enumerators keeps the values of the constants of an enumeration.
func (r *reader) enumerators(list []token) {
	next, known := int64(0), true
	for _, one := range split(list) {
		if len(one) == 0 || one[0].kind != word {
			continue
		}
		if len(one) > 2 && one[1].is("=") {
			p := expressionParser{tokens: one[2:]}
			e, err := p.parse()
			value, evalErr := e.Evaluate(r.constant)
			known = err == nil && evalErr == nil
			next = value
		}
		if known {
			r.constants[one[0].text] = enumerator{next, one[0].file}
		}
		next++
	}
}

// constant returns the value of an enumerator.
func (r *reader) constant(name string) (int64, error) {
	if c, known := r.constants[name]; known {
		return c.value, nil
	}
	return 0, errUnknown
}

// split splits tokens at the commas outside of brackets.
func split(list []token) (parts [][]token) {
	match, from := closings(list), 0
	for i := 0; i < len(list); i++ {
		switch t := list[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			i = match[i]
		case t.is(","):
			parts = append(parts, list[from:i])
			from = i + 1
		}
	}
	return append(parts, list[from:])
}

// problem returns a problem with a token.
func (r *reader) problem(t token, message string) *Problem {
	begin := strings.LastIndexByte(r.text[:t.at], '\n') + 1
	line := firstLine(r.text[begin:])
	if !utf8.ValidString(line) {
		line = strings.ToValidUTF8(line, "?")
	}
	return &Problem{File: t.file, Line: t.line, Column: t.at - begin + 1, Width: len(t.text),
		Source: strings.TrimRight(line, "\r"), Message: message}
}
