package hat

import (
	"fmt"
	"strings"

	"zonemark/invocations"
)

// cType holds what a call needs to know about a C type.
type cType struct {
	element  invocations.ElementType // empty for void and for an unknown name
	known    bool                    // whether the base name is known; true for void
	pointers int
	// native16 marks a 16-bit float type of the compiler itself. It is passed in a float register,
	// unlike HAT's typedef of uint16_t.
	native16 bool
}

// hatElements are the values of element_type.
var hatElements = map[string]invocations.ElementType{
	"bool":   invocations.Bool,
	"int8_t": invocations.Int8, "int16_t": invocations.Int16, "int32_t": invocations.Int32,
	"int64_t": invocations.Int64,
	"uint8_t": invocations.Uint8, "uint16_t": invocations.Uint16, "uint32_t": invocations.Uint32,
	"uint64_t":  invocations.Uint64,
	"float16_t": invocations.Float16, "bfloat16_t": invocations.BFloat16, "float": invocations.Float32,
	"double": invocations.Float64,
}

// plainC holds further C spellings. Their words are sorted as wordsOf returns them. "long" is not among them, because
// its size depends on the system.
var plainC = map[string]invocations.ElementType{
	"_Bool": invocations.Bool,
	"char":  invocations.Int8, "signed char": invocations.Int8, "unsigned char": invocations.Uint8,
	"short": invocations.Int16, "unsigned short": invocations.Uint16,
	"int": invocations.Int32, "unsigned": invocations.Uint32,
	"long long": invocations.Int64, "unsigned long long": invocations.Uint64,
	"size_t": invocations.Uint64, "ssize_t": invocations.Int64, "ptrdiff_t": invocations.Int64,
	"intptr_t": invocations.Int64, "uintptr_t": invocations.Uint64,
	"_Float16": invocations.Float16, "__fp16": invocations.Float16, "__bf16": invocations.BFloat16,
}

// parseCType reads a declared type such as "const float*" or "unsigned char". targetOS is target.required.os: long has
// 32 bits on Windows.
func parseCType(text, targetOS string) cType {
	t := cType{pointers: strings.Count(text, "*")}
	base := strings.ReplaceAll(text, "*", " ")
	name := strings.Join(wordsOf(base), " ")
	switch {
	case name == "void":
		t.known = true
		return t
	case hatElements[name] != "":
		t.element = hatElements[name]
	case plainC[name] != "":
		t.element = plainC[name]
		t.native16 = t.element == invocations.Float16 || t.element == invocations.BFloat16
	case name == "long" || name == "unsigned long":
		t.element = longType(name == "unsigned long", targetOS)
	}
	t.known = t.element != ""
	return t
}

func longType(unsigned bool, targetOS string) invocations.ElementType {
	windows := strings.EqualFold(targetOS, "windows")
	switch {
	case windows && unsigned:
		return invocations.Uint32
	case windows:
		return invocations.Int32
	case unsigned:
		return invocations.Uint64
	}
	return invocations.Int64
}

// wordsOf splits a type name into words in one canonical spelling: without qualifiers, sign first, without redundant
// "int" or "signed".
func wordsOf(base string) []string {
	var words []string
	unsigned, signed, integer, other := false, false, false, false
	for _, w := range strings.Fields(base) {
		switch w = strings.TrimPrefix(w, "std::"); w {
		case "const", "volatile", "restrict", "__restrict", "__restrict__":
		case "unsigned":
			unsigned = true
		case "signed":
			signed = true
		case "int":
			integer = true
		default:
			other = true
			words = append(words, w)
		}
	}
	switch {
	case unsigned:
		words = append([]string{"unsigned"}, words...)
	case signed && len(words) == 1 && words[0] == "char":
		words = []string{"signed", "char"}
	case (signed || integer) && !other:
		words = []string{"int"}
	}
	return words
}

// elementOf resolves the element type of a parameter, which the file states twice. The two statements may differ in
// spelling, and in kind if the size is the same (float16_t is a typedef of uint16_t in HAT's headers). Then
// element_type is right.
func elementOf(p *Parameter, c cType) (invocations.ElementType, error) {
	if p.ElementType == "" {
		if c.element == "" {
			return "", fmt.Errorf("element_type is missing and declared_type %q tells none; add element_type, such "+
				"as \"float\"", p.DeclaredType)
		}
		return c.element, nil
	}
	e := parseCType(p.ElementType, "")
	switch {
	case e.element == "" || e.pointers != 0:
		return "", fmt.Errorf("element_type %q is not supported; use bool, int8_t … int64_t, uint8_t … uint64_t, "+
			"float16_t, bfloat16_t, float or double", p.ElementType)
	case c.element != "" && isLong(p.ElementType):
		return c.element, nil // parseCType knows the target's size of long
	case c.element != "" && c.element.Size() != e.element.Size():
		return "", fmt.Errorf("declared_type %q and element_type %q differ in size; make them agree",
			p.DeclaredType, p.ElementType)
	}
	return e.element, nil
}

func isLong(text string) bool {
	w := strings.Join(wordsOf(text), " ")
	return w == "long" || w == "unsigned long"
}
