package csource

import (
	"fmt"
	"runtime"

	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// signature is what the declaration of a function tells of its calls, as types and not as text. The executor that
// builds hands it to the executor that calls.
type signature struct {
	Symbol     string                  `json:"symbol"`
	Parameters []parameter             `json:"parameters,omitempty"`
	Result     invocations.ElementType `json:"result,omitempty"`
	Pointer    bool                    `json:"pointer,omitempty"` // the result is an address
	Problem    string                  `json:"problem,omitempty"` // why the function cannot be called
}

// parameter is a parameter of a C function: a number that is passed by value or, with bounds, an array.
type parameter struct {
	Name    string                  `json:"name,omitempty"`
	Element invocations.ElementType `json:"element"`
	Bounds  []sizes.Expression      `json:"bounds,omitempty"`
	Const   bool                    `json:"const,omitempty"` // the function does not write it
}

// signatureOf returns the signature of a declaration that has no problems of its own.
func signatureOf(d *declarations.Function) (s signature, err error) {
	s.Symbol = d.Name
	for i := range d.Parameters {
		p := &d.Parameters[i]
		element, own := declarations.Element(p.Type.Name, runtime.GOOS)
		switch {
		case element == "":
			return s, fmt.Errorf("%s: %q is not supported; use bool, int8_t … int64_t, uint8_t … uint64_t, float16_t, "+
				"bfloat16_t, float or double", cfunction.Label(i, p.Name), p.Type.Name)
		case own && len(p.Bounds) == 0:
			return s, fmt.Errorf("%s: a %s by value is passed differently by different compilers; pass it by address",
				cfunction.Label(i, p.Name), p.Type.Name)
		}
		s.Parameters = append(s.Parameters, parameter{p.Name, element, p.Bounds, p.Type.Const})
	}
	element, own := declarations.Element(d.Result.Name, runtime.GOOS)
	switch {
	case d.Result.Pointers > 0:
		s.Result, s.Pointer = invocations.Uint64, true
	case d.Result.Name == "void":
	case element == "" || own:
		return s, fmt.Errorf("return: %q is not supported; a function may return void, an integer, float or double",
			d.Result.Name)
	default:
		s.Result = element
	}
	return s, nil
}

// prototype returns the prototype by which the function is called. Constants are names for values.
func (s *signature) prototype(constants map[string]int64) (*cfunction.Prototype, error) {
	parameters := make([]cfunction.Parameter, len(s.Parameters))
	for i := range s.Parameters {
		parameters[i] = s.Parameters[i].described()
	}
	p, err := cfunction.NewPrototype(s.Symbol, parameters, s.Result)
	if err != nil {
		return nil, err
	}
	if s.Pointer {
		p = p.ReturningPointer()
	}
	return p.With(constants), nil
}

// described returns the parameter as the engine of calls knows it. An array whose bounds are numbers has a shape;
// others have the product of their bounds as their size.
func (p *parameter) described() cfunction.Parameter {
	d := cfunction.Parameter{Name: p.Name, Element: p.Element, Usage: invocations.Input}
	if len(p.Bounds) == 0 {
		d.Passing, d.Layout = cfunction.ByValue, cfunction.Number{Required: true}
		return d
	}
	if !p.Const {
		d.Usage = invocations.InputOutput
	}
	var shape []int64
	var factors []sizes.Expression
	for _, bound := range p.Bounds {
		if n, constant := bound.Constant(); constant {
			shape = append(shape, n)
		}
		factors = append(factors, bound.Factors()...)
	}
	if d.Layout = (cfunction.Affine{Shape: shape}); len(shape) < len(p.Bounds) {
		d.Layout = cfunction.Sized{Factors: factors, Text: sizes.Product(p.Bounds, func(name string) string { return name })}
	}
	return d
}
