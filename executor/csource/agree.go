package csource

import (
	"fmt"
	"runtime"

	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/declarations"
)

// disagreement returns where a prototype contradicts the definition of its function so that calls would compute with
// other numbers: floating-point numbers of another size, or by value in place of integers; integers by value of which
// the function takes or returns a part only; a return value that there is not. Returns "" if it does not. Elements of
// arrays may be bytes, or the members of structures, in the one and not in the other.
func disagreement(prototype, definition *declarations.Function) string {
	was := func(is, in declarations.Type) string {
		return fmt.Sprintf("is %s, and in its definition in line %d %s", is.Name, definition.Line, in.Name)
	}
	if is, in := prototype.Result, definition.Result; is.Pointers+in.Pointers == 0 && disagree(is, in, true) ||
		nothing(in) && !nothing(is) {
		return "what it returns " + was(is, in)
	}
	for i := range min(len(prototype.Parameters), len(definition.Parameters)) {
		p, d := &prototype.Parameters[i], &definition.Parameters[i]
		value := byValue(p)
		if value == byValue(d) && disagree(p.Type, d.Type, value) {
			return cfunction.Label(i, p.Name) + " " + was(p.Type, d.Type)
		}
	}
	return ""
}

// nothing reports whether a function that returns this type returns no value.
func nothing(t declarations.Type) bool { return t.Name == "void" && t.Pointers == 0 }

// byValue reports whether a parameter is a number that is passed by value.
func byValue(p *declarations.Parameter) bool { return len(p.Bounds) == 0 && p.Type.Pointers == 0 }

// disagree reports whether numbers of type a, passed by value or as elements of arrays, are others where type b is defined.
func disagree(a, b declarations.Type, value bool) bool {
	x, _ := declarations.Element(a.Name, runtime.GOOS)
	y, _ := declarations.Element(b.Name, runtime.GOOS)
	switch {
	case x == "" || y == "": // void, or a type that is not known
		return false
	case x.Float() && y.Float():
		return x.Size() != y.Size()
	}
	return value && (x.Float() != y.Float() || x.Size() > y.Size())
}
