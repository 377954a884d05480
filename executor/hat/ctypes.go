package hat

import (
	"fmt"
	"strings"

	"zonemark/executor/cfunction/declarations"
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

// parseCType reads a declared type such as "const float*" or "unsigned char". targetOS is target.required.os: long has
// 32 bits on Windows.
func parseCType(text, targetOS string) cType {
	t := cType{pointers: strings.Count(text, "*")}
	name := strings.ReplaceAll(text, "*", " ")
	t.element, t.native16 = declarations.Element(name, targetOS)
	t.known = t.element != "" || declarations.Canonical(name) == "void"
	return t
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
	w := declarations.Canonical(text)
	return w == "long" || w == "unsigned long"
}
