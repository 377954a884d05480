package declarations

import (
	"slices"
	"strings"

	"zonemark/invocations/spelling"
)

// combining are the words of which a type may have several.
var combining = []string{"signed", "unsigned", "char", "short", "int", "long"}

// floats are the types of floating-point numbers.
var floats = []string{"float", "double", "float16_t", "bfloat16_t", "_Float16", "__fp16", "__bf16"}

// TypeNames returns the names of arithmetic types that are known without a typedef. "unsigned", "long" and others
// combine, as C allows.
func TypeNames() []string {
	return slices.Concat(combining, floats, []string{"bool", "_Bool", "size_t", "ssize_t", "ptrdiff_t",
		"intptr_t", "uintptr_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
		"uint64_t"})
}

// qualifiers are the words within a type that change nothing of how it is passed. const is another one.
var qualifiers = []string{"volatile", "restrict", "__restrict", "__restrict__", "__volatile__", "register", "auto"}

func isQualifier(t token) bool {
	return t.is("const") || t.kind == word && slices.Contains(qualifiers, t.text)
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
	t.Name, t.Pointers, t.members = base.Name, t.Pointers+base.Pointers, base.members
	t.Const = t.Const || base.Const
	return t
}

// baseOf reads the words of a type.
func (d *declarator) baseOf(words []token) Type {
	first := words[0]
	switch {
	case first.is("struct") && len(words) == 2:
		return d.structureType(first, tagged+words[1].text)
	case first.is("struct") || first.is("union"):
		return d.structureType(first, "")
	case first.is("enum"):
		return Type{Name: "int"}
	case len(words) == 1 && first.is("void"):
		return Type{Name: "void"}
	}
	known := TypeNames()
	var names []string
	for i, w := range words {
		resolved, defined := d.typedefs[w.text]
		_, structured := d.structures[w.text]
		switch {
		case w.kind == word && slices.Contains(known, w.text):
		case defined && len(words) == 1:
			return resolved
		case w.is("void") || defined:
			d.wrong(w, "%q does not combine with other types", w.text)
			return Type{}
		case structured && len(words) == 1:
			return d.structureType(w, w.text)
		case i > 0 && i+1 < len(words):
			d.wrong(words[i+1], "a comma is missing before this")
			return Type{}
		default:
			for name := range d.typedefs {
				known = append(known, name)
			}
			slices.Sort(known)
			d.wrongIn(UnknownType, w, "%q is no arithmetic type%s", w.text, spelling.Suggest(w.text, known))
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

// structureType returns the type of the members of a structure, of which an array can be handed over.
func (d *declarator) structureType(at token, name string) Type {
	s, _ := d.structure(name)
	if s.members == 0 {
		d.wrong(at, "a structure cannot be handed over; write a function that takes its arrays and numbers one by one")
	}
	return Type{Name: s.element, members: s.members}
}
