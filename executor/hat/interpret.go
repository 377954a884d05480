package hat

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// prototypeOf interprets a function of the package. The error names the file, line, function, argument and remedy.
func (p *Package) prototypeOf(f *Function) (*cfunction.Prototype, error) {
	where := p.Path
	if f.Line > 0 {
		where += ":" + strconv.Itoa(f.Line)
	}
	if missing := f.gaps(); missing != "" {
		return nil, fmt.Errorf("%s: function %s lacks keys of its arguments; add\n%s", where, f.Symbol,
			strings.TrimSuffix(missing, "\n"))
	}
	t, err := f.prototype(p.Target.Required.OS)
	var parameter *cfunction.ParameterError
	if errors.As(err, &parameter) {
		parameter.Err = inKeys(parameter.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: function %s: %w", where, f.Symbol, err)
	}
	return t, nil
}

// inKeys returns an error of the engine of calls in the words of the format.
func inKeys(err error) error {
	switch e := err.(type) {
	case *cfunction.SizeNameError:
		return fmt.Errorf("%w; name an argument of logical_type element", err)
	case *cfunction.LayoutError:
		return errors.New(e.Named("affine_map", "affine_offset"))
	}
	return err
}

// prototype interprets a function whose keys are complete.
func (f *Function) prototype(targetOS string) (*cfunction.Prototype, error) {
	parameters := make([]cfunction.Parameter, len(f.Arguments))
	for i := range f.Arguments {
		var err error
		if parameters[i], err = f.Arguments[i].interpret(targetOS); err != nil {
			return nil, fmt.Errorf("%s: %w", cfunction.Label(i, f.Arguments[i].Name), err)
		}
	}
	result, err := resultOf(&f.Return, targetOS)
	if err != nil {
		return nil, fmt.Errorf("return: %w", err)
	}
	return cfunction.NewPrototype(f.Symbol, parameters, result)
}

// interpret returns what the engine of calls knows of a parameter.
func (p *Parameter) interpret(targetOS string) (c cfunction.Parameter, err error) {
	declared := parseCType(p.DeclaredType, targetOS)
	c.Name = p.Name
	if c.Element, err = elementOf(p, declared); err != nil {
		return c, err
	}
	switch c.Usage = invocations.Usage(p.Usage); c.Usage {
	case invocations.Input, invocations.Output, invocations.InputOutput:
	default:
		return c, fmt.Errorf("usage %q is unknown; write input, output or input_output", p.Usage)
	}
	scalar := false
	switch p.LogicalType {
	case "affine_array":
		c.Layout = cfunction.Affine{Shape: p.Shape, Strides: p.AffineMap, Offset: p.offset()}
	case "runtime_array":
		size := cfunction.Sized{Text: p.Size}
		size.Factors, err = parseSize(p.Size)
		c.Layout = size
	case "element":
		c.Layout, scalar = cfunction.Number{}, true
	default:
		return c, fmt.Errorf("logical_type %q is unknown; write affine_array, runtime_array or element", p.LogicalType)
	}
	if err != nil {
		return c, err
	}
	if p.DeclaredType == "" && (!scalar || c.Usage != invocations.Input) {
		declared.pointers = 1
	}
	c.Passing, err = p.passing(declared, scalar)
	return c, err
}

// notGiven is the affine_offset that hatlib writes if none was given to it (hatlib 0.0.39, hat_file.py: its default).
const notGiven = -1

// offset returns the offset of the first element.
func (p *Parameter) offset() int64 {
	if p.AffineOffset == notGiven {
		return 0
	}
	return p.AffineOffset
}

// passing determines how the argument is passed: by value, by address, or as the address of a pointer that the callee
// sets.
func (p *Parameter) passing(c cType, scalar bool) (cfunction.Passing, error) {
	switch usage := invocations.Usage(p.Usage); {
	case c.pointers == 0 && !scalar:
		return 0, fmt.Errorf("declared_type %q is not a pointer, but an array is passed by address; write %q",
			p.DeclaredType, p.DeclaredType+"*")
	case c.pointers == 0 && usage != invocations.Input:
		return 0, fmt.Errorf("declared_type %q is passed by value and cannot be %s; write %q",
			p.DeclaredType, usage, p.DeclaredType+"*")
	case c.pointers == 0 && c.native16:
		return 0, fmt.Errorf("a %s by value is passed differently by different compilers; pass it by address",
			p.DeclaredType)
	case c.pointers == 0:
		return cfunction.ByValue, nil
	case c.pointers == 2 && usage == invocations.Output:
		return cfunction.CalleeAllocates, nil
	case c.pointers >= 2:
		return 0, fmt.Errorf("declared_type %q with usage %s is not supported; a pointer to a pointer must be an output "+
			"that the function allocates",
			p.DeclaredType, usage)
	}
	return cfunction.ByAddress, nil
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

// parseSize reads the size of a runtime array and returns its factors: numbers, names of arguments and sums in
// parentheses, joined by "*". An empty text means 1. Other tools know products of numbers and names only.
func parseSize(text string) ([]sizes.Expression, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	e, err := declarations.ParseExpression(text)
	if err != nil {
		return nil, fmt.Errorf("size %q: %w; write a product such as \"M*K\"", text, err)
	}
	return e.Factors(), nil
}
