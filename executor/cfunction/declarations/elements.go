package declarations

import (
	"strings"

	"zonemark/invocations"
)

// exact are the types whose size their name states, and those that are the same everywhere.
var exact = map[string]invocations.ElementType{
	"bool":   invocations.Bool,
	"int8_t": invocations.Int8, "int16_t": invocations.Int16, "int32_t": invocations.Int32,
	"int64_t": invocations.Int64,
	"uint8_t": invocations.Uint8, "uint16_t": invocations.Uint16, "uint32_t": invocations.Uint32,
	"uint64_t":  invocations.Uint64,
	"float16_t": invocations.Float16, "bfloat16_t": invocations.BFloat16, "float": invocations.Float32,
	"double": invocations.Float64,
}

// further holds further C spellings. Their words are sorted as Canonical returns them. "long" is not among them,
// because its size depends on the system.
var further = map[string]invocations.ElementType{
	"_Bool": invocations.Bool,
	"char":  invocations.Int8, "signed char": invocations.Int8, "unsigned char": invocations.Uint8,
	"short": invocations.Int16, "unsigned short": invocations.Uint16,
	"int": invocations.Int32, "unsigned": invocations.Uint32,
	"long long": invocations.Int64, "unsigned long long": invocations.Uint64,
	"size_t": invocations.Uint64, "ssize_t": invocations.Int64, "ptrdiff_t": invocations.Int64,
	"intptr_t": invocations.Int64, "uintptr_t": invocations.Uint64,
	"_Float16": invocations.Float16, "__fp16": invocations.Float16, "__bf16": invocations.BFloat16,
}

// Element returns the element type that the name of an arithmetic type of C stands for, in any of its spellings. It
// returns "" for another name. long has 32 bits if system is "windows". own reports a 16-bit float type of the compiler
// itself. It is passed by value in a float register, unlike a typedef of uint16_t.
func Element(name, system string) (element invocations.ElementType, own bool) {
	name = Canonical(name)
	switch {
	case exact[name] != "":
		return exact[name], false
	case further[name] != "":
		element = further[name]
		return element, element == invocations.Float16 || element == invocations.BFloat16
	case name == "long" || name == "unsigned long":
		return longType(name == "unsigned long", system), false
	}
	return "", false
}

// ExactName returns the name of an element type that is the same on every system, such as "int32_t" or "float".
func ExactName(element invocations.ElementType) string {
	for name, e := range exact {
		if e == element {
			return name
		}
	}
	return ""
}

func longType(unsigned bool, system string) invocations.ElementType {
	windows := strings.EqualFold(system, "windows")
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

// Canonical returns the one spelling of a type's name: without qualifiers, sign first, without redundant "int" or
// "signed".
func Canonical(name string) string {
	var words []string
	unsigned, signed, integer, other := false, false, false, false
	for _, w := range strings.Fields(name) {
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
	return strings.Join(words, " ")
}
