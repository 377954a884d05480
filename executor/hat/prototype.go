package hat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// prototype is a function whose arguments and return value are understood well enough to call it.
type prototype struct {
	symbol    string
	arguments []argument
	result    invocations.ElementType // empty for void; uint64 for a returned pointer
	explicit  bool                    // single numbers have no default values
}

// argument is an argument in passing order.
type argument struct {
	invocations.Argument
	position int                // 0-based
	size     []sizes.Expression // factors of a runtime array; nil for every other kind and for size 1
	elements int64              // that the buffer holds; 0 if the size is known only at run time
	scalar   bool               // logical_type element
}

// label returns the name of the argument for messages. Many generators leave the name empty.
func (a *argument) label() string {
	if a.Name == "" {
		return "argument " + strconv.Itoa(a.position+1)
	}
	return fmt.Sprintf("argument %d (%s)", a.position+1, a.Name)
}

// settable reports whether the argument is a single number that the caller chooses.
func (a *argument) settable() bool { return a.scalar && !a.Callee && a.Usage != invocations.Output }

// prototypeOf interprets a function of the package. The error names the file, line, function, argument and remedy.
func (p *Package) prototypeOf(f *Function) (*prototype, error) {
	where := p.Path
	if f.Line > 0 {
		where += ":" + strconv.Itoa(f.Line)
	}
	if missing := f.gaps(); missing != "" {
		return nil, fmt.Errorf("%s: function %s lacks keys of its arguments; add\n%s", where, f.Symbol,
			strings.TrimSuffix(missing, "\n"))
	}
	t := &prototype{symbol: f.Symbol, explicit: p.explicit}
	for i := range f.Arguments {
		a := argument{position: i}
		a.Name = f.Arguments[i].Name
		if err := a.interpret(&f.Arguments[i], p.Target.Required.OS); err != nil {
			return nil, fmt.Errorf("%s: function %s: %s: %w", where, f.Symbol, a.label(), err)
		}
		t.arguments = append(t.arguments, a)
	}
	for i := range t.arguments {
		if err := t.checkSizeNames(&t.arguments[i]); err != nil {
			return nil, fmt.Errorf("%s: function %s: %s: %w", where, f.Symbol, t.arguments[i].label(), err)
		}
	}
	result, err := resultOf(&f.Return, p.Target.Required.OS)
	if err != nil {
		return nil, fmt.Errorf("%s: function %s: return: %w", where, f.Symbol, err)
	}
	t.result = result
	return t, nil
}

// interpret fills in the argument from its statement in the file.
func (a *argument) interpret(p *Parameter, targetOS string) error {
	c := parseCType(p.DeclaredType, targetOS)
	element, err := elementOf(p, c)
	if err != nil {
		return err
	}
	a.Element = element
	switch a.Usage = invocations.Usage(p.Usage); a.Usage {
	case invocations.Input, invocations.Output, invocations.InputOutput:
	default:
		return fmt.Errorf("usage %q is unknown; write input, output or input_output", p.Usage)
	}
	switch p.LogicalType {
	case "affine_array":
		err = a.interpretAffine(p)
	case "runtime_array":
		if a.size, err = parseSize(p.Size); err == nil {
			a.Extent = strings.TrimSpace(p.Size)
		}
		if len(a.size) == 0 {
			a.Extent, a.elements = "1", 1
		}
	case "element":
		a.scalar, a.elements = true, 1
	default:
		return fmt.Errorf("logical_type %q is unknown; write affine_array, runtime_array or element", p.LogicalType)
	}
	if err != nil {
		return err
	}
	if p.DeclaredType == "" && (!a.scalar || a.Usage != invocations.Input) {
		c.pointers = 1
	}
	return a.interpretPassing(p, c)
}

// interpretPassing determines how the argument is passed: by value, by address, or as the address of a pointer that the
// callee sets.
func (a *argument) interpretPassing(p *Parameter, c cType) error {
	switch {
	case c.pointers == 0 && !a.scalar:
		return fmt.Errorf("declared_type %q is not a pointer, but an array is passed by address; write %q",
			p.DeclaredType, p.DeclaredType+"*")
	case c.pointers == 0 && a.Usage != invocations.Input:
		return fmt.Errorf("declared_type %q is passed by value and cannot be %s; write %q",
			p.DeclaredType, a.Usage, p.DeclaredType+"*")
	case c.pointers == 0 && c.native16:
		return fmt.Errorf("a %s by value is passed differently by different compilers; pass it by address",
			p.DeclaredType)
	case c.pointers == 0:
		a.ByValue = true
	case c.pointers == 2 && a.Usage == invocations.Output:
		a.Callee = true
	case c.pointers >= 2:
		return fmt.Errorf("declared_type %q with usage %s is not supported; a pointer to a pointer must be an output "+
			"that the function allocates",
			p.DeclaredType, a.Usage)
	}
	return nil
}

func (a *argument) interpretAffine(p *Parameter) error {
	if len(p.AffineMap) == 0 && len(p.Shape) > 0 {
		if n, ok := shapeElements(p.Shape); !ok || n < 1 {
			return fmt.Errorf("shape %v: every dimension must be at least 1 and their product must fit into 64 bits",
				p.Shape)
		}
		p.AffineMap = rowMajor(p.Shape)
	}
	n, err := affineElements(p.Shape, p.AffineMap, p.AffineOffset)
	if err != nil {
		return err
	}
	if _, ok := multiply(n, a.Element.Size()); !ok {
		return fmt.Errorf("shape %v of %s takes more bytes than 64 bits can count; correct it", p.Shape, a.Element)
	}
	logical, ok := shapeElements(p.Shape)
	if !ok { // possible with strides of zero
		return fmt.Errorf("shape %v has more elements than 64 bits can count; correct it", p.Shape)
	}
	a.elements, a.Offset = n, p.AffineOffset
	if len(p.Shape) == 0 {
		return nil
	}
	a.Shape = p.Shape
	if logical > n || !slices.Equal(p.AffineMap, rowMajor(p.Shape)) {
		a.Strides = p.AffineMap
	}
	return nil
}

// sizeNames returns the names in the runtime size.
func (a *argument) sizeNames() (names []string) {
	for _, f := range a.size {
		names = append(names, f.Names()...)
	}
	return names
}

// checkSizeNames returns an error unless each name in a runtime size is an integer that is known in time: one that the
// caller passes, or, for an array that the callee allocates, one that the callee writes.
func (t *prototype) checkSizeNames(a *argument) error {
	for _, name := range a.sizeNames() {
		d := t.named(name)
		switch {
		case d == nil:
			return fmt.Errorf("size %q names %s, which is no argument of this function; name an argument of "+
				"logical_type element", a.Extent, name)
		case !d.scalar || d.Callee || d.Element.Float():
			return fmt.Errorf("size %q names %s, which is not an integer; name an argument of logical_type element",
				a.Extent, name)
		case d.Usage == invocations.Output && !a.Callee:
			return fmt.Errorf("size %q names %s, which is known only after the call; make it an input, or let the "+
				"function allocate the array", a.Extent, name)
		}
	}
	return nil
}

// named returns the single-number argument of that name, else any argument of that name, else nil.
func (t *prototype) named(name string) *argument {
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
func (t *prototype) sizes() map[string]bool {
	names := map[string]bool{}
	for i := range t.arguments {
		for _, name := range t.arguments[i].sizeNames() {
			names[name] = true
		}
	}
	return names
}

// resultOf reads a return value. It refuses unknown types, because structures would need a hidden argument.
func resultOf(r *Parameter, targetOS string) (invocations.ElementType, error) {
	if r.DeclaredType == "" && (r.LogicalType == "" || r.LogicalType == "void") {
		return "", nil
	}
	c := parseCType(r.DeclaredType, targetOS)
	switch {
	case c.pointers > 0:
		return invocations.Uint64, nil
	case c.known && !c.native16:
		return c.element, nil
	case !c.known && r.ElementType != "":
		return elementOf(r, c)
	}
	return "", fmt.Errorf("declared_type %q is not supported; a function may return void, an integer, float or double",
		r.DeclaredType)
}

// signature returns a text that is equal for functions that take the same arguments in the same layouts, whatever their
// names. Names within runtime sizes are replaced by positions.
func (t *prototype) signature() string {
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
