package cfunction

import (
	"fmt"
	"strconv"
	"strings"

	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// Prototype is a function whose arguments and return value are understood well enough to call it.
type Prototype struct {
	symbol    string
	arguments []argument
	result    invocations.ElementType // empty for void; uint64 for a returned pointer
	pointer   bool                    // it returns an address
	constants map[string]int64        // names that stand for values of integers
}

// ReturningPointer returns the prototype of a function that returns an address.
func (t *Prototype) ReturningPointer() *Prototype {
	with := *t
	with.pointer = true
	return &with
}

// With returns the prototype with names that stand for values of integers, as the enumerators of a header do.
func (t *Prototype) With(constants map[string]int64) *Prototype {
	with := *t
	with.constants = constants
	return &with
}

// argument is an argument in passing order.
type argument struct {
	invocations.Argument
	position int                // 0-based
	size     []sizes.Expression // factors of a runtime array; nil for every other kind and for size 1
	elements int64              // that the buffer holds; 0 if the size is known only at run time
	scalar   bool               // a single number
	required bool               // a single number that has no default value
}

// NewPrototype returns the prototype of a function. result is empty for a function that returns nothing, and Uint64 for
// one that returns a pointer. What is wrong with a parameter is a *ParameterError.
func NewPrototype(symbol string, parameters []Parameter, result invocations.ElementType) (*Prototype, error) {
	t := &Prototype{symbol: symbol, result: result}
	if result != "" && result.Size() == 0 {
		return nil, fmt.Errorf("return: its type %q is not known", result)
	}
	for i := range parameters {
		a, err := parameters[i].argument(i)
		if err != nil {
			return nil, &ParameterError{i, parameters[i].Name, err}
		}
		t.arguments = append(t.arguments, a)
	}
	for i := range t.arguments {
		if err := t.checkSizeNames(&t.arguments[i]); err != nil {
			return nil, &ParameterError{i, parameters[i].Name, err}
		}
	}
	return t, nil
}

// ParameterError says what is wrong with the parameter at a position, from 0. Err may be a *SizeNameError or a
// *LayoutError, for front ends that call things by other names.
type ParameterError struct {
	Position int
	Name     string
	Err      error
}

func (e *ParameterError) Error() string { return Label(e.Position, e.Name) + ": " + e.Err.Error() }
func (e *ParameterError) Unwrap() error { return e.Err }

// Label returns the name of the argument at a position, from 0, for messages. Many generators leave the name empty.
func Label(position int, name string) string {
	if name == "" {
		return "argument " + strconv.Itoa(position+1)
	}
	return fmt.Sprintf("argument %d (%s)", position+1, name)
}

func (a *argument) label() string { return Label(a.position, a.Name) }

// settable reports whether the argument is a single number that the caller chooses.
func (a *argument) settable() bool { return a.scalar && !a.Callee && a.Usage != invocations.Output }

// sizeNames returns the names in the runtime size.
func (a *argument) sizeNames() (names []string) {
	for _, f := range a.size {
		names = append(names, f.Names()...)
	}
	return names
}

// SizeNameError reports a runtime size that names something else than an integer of the function.
type SizeNameError struct{ Size, Name, Is string }

func (e *SizeNameError) Error() string {
	return fmt.Sprintf("size %q names %s, which is %s", e.Size, e.Name, e.Is)
}

// checkSizeNames returns an error unless each name in a runtime size is an integer that is known in time: one that the
// caller passes, or, for an array that the callee allocates, one that the callee writes.
func (t *Prototype) checkSizeNames(a *argument) error {
	for _, name := range a.sizeNames() {
		d := t.named(name)
		switch {
		case d == nil:
			return &SizeNameError{a.Extent, name, "no argument of this function"}
		case !d.scalar || d.Callee || d.Element.Float():
			return &SizeNameError{a.Extent, name, "not an integer"}
		case d.Usage == invocations.Output && !a.Callee:
			return fmt.Errorf("size %q names %s, which is known only after the call; make it an input, or let the "+
				"function allocate the array", a.Extent, name)
		}
	}
	return nil
}

// named returns the single-number argument of that name, else any argument of that name, else nil.
func (t *Prototype) named(name string) *argument {
	var found *argument
	for i := range t.arguments {
		a := &t.arguments[i]
		if a.Name == name && (a.scalar || found == nil) {
			if found = a; a.scalar {
				break
			}
		}
	}
	return found
}

// sizes returns the names that occur in runtime sizes.
func (t *Prototype) sizes() map[string]bool {
	names := map[string]bool{}
	for i := range t.arguments {
		for _, name := range t.arguments[i].sizeNames() {
			names[name] = true
		}
	}
	return names
}

// signature returns a text that is equal for functions that take the same arguments in the same layouts, whatever their
// names. Names within runtime sizes are replaced by positions.
func (t *Prototype) signature() string {
	var b strings.Builder
	for i := range t.arguments {
		a := &t.arguments[i]
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", a.Usage, a.Element)
		switch {
		case a.Callee:
			b.WriteString("**")
		case !a.ByValue:
			b.WriteString("*")
		}
		if len(a.size) > 0 {
			b.WriteString("[" + sizes.Product(a.size, func(name string) string {
				return "#" + strconv.Itoa(t.named(name).position)
			}) + "]")
		}
		if a.Shape != nil {
			fmt.Fprintf(&b, "%v", a.Shape)
		}
		if a.Strides != nil {
			fmt.Fprintf(&b, " strides %v", a.Strides)
		}
		if a.Offset != 0 {
			fmt.Fprintf(&b, " offset %d", a.Offset)
		}
	}
	result := string(t.result)
	if result == "" {
		result = "void"
	}
	return "(" + b.String() + ") " + result
}
