package hat

import (
	"runtime"
	"strings"

	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// NewPackage returns a package of declared functions, to lie at path. linkTarget is its library, or the source of it
// which is compiled with the flags.
func NewPackage(path, linkTarget, flags string, functions []*declarations.Function) (*Package, error) {
	p := &Package{Path: path, CompilerFlags: flags}
	p.Depends.LinkTarget = linkTarget
	if _, err := p.compileFlags(""); err != nil {
		return nil, err
	}
	for _, d := range functions {
		p.Functions = append(p.Functions, functionOf(d))
	}
	return p, nil
}

// functionOf returns the description of a function, as a .hat file has it.
func functionOf(d *declarations.Function) *Function {
	f := &Function{Symbol: d.Name, Name: d.Name, Convention: "cdecl", Line: d.Line}
	for i := range d.Parameters {
		f.Arguments = append(f.Arguments, parameterOf(&d.Parameters[i]))
	}
	f.Return = Parameter{
		LogicalType: "void", DeclaredType: "void", ElementType: "void", Usage: string(invocations.Output),
	}
	if d.Result.Name != "void" || d.Result.Pointers > 0 {
		f.Return.LogicalType = "element"
		f.Return.DeclaredType = d.Result.Name + strings.Repeat("*", d.Result.Pointers)
		f.Return.ElementType = elementName(d.Result.Name)
	}
	return f
}

// parameterOf returns the description of a parameter.
func parameterOf(d *declarations.Parameter) Parameter {
	p := Parameter{Name: d.Name, DeclaredType: d.Type.Name, ElementType: elementName(d.Type.Name),
		Usage: string(invocations.Input)}
	if len(d.Bounds) == 0 {
		p.LogicalType = "element"
		return p
	}
	p.DeclaredType += "*"
	if d.Type.Const {
		p.DeclaredType = "const " + p.DeclaredType
	} else {
		p.Usage = string(invocations.InputOutput)
	}
	for _, bound := range d.Bounds {
		if n, constant := bound.Constant(); constant {
			p.Shape = append(p.Shape, n)
		}
	}
	if p.LogicalType = "affine_array"; len(p.Shape) < len(d.Bounds) {
		p.LogicalType, p.Shape = "runtime_array", nil
		p.Size = sizes.Product(d.Bounds, func(name string) string { return name })
	}
	return p
}

// elementName returns HAT's name of a type of C. It returns the name itself if HAT has none.
func elementName(name string) string {
	if element, _ := declarations.Element(name, runtime.GOOS); element != "" {
		return declarations.ExactName(element)
	}
	return name
}
