package cfunction

import (
	"errors"
	"strings"
	"testing"

	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Whatever front end describes a function, what cannot be called is no prototype.
func TestImpossiblePrototypes(t *testing.T) {
	array := Affine{Shape: []int64{4}}
	for _, c := range []struct {
		name      string
		parameter Parameter
		want      string
	}{
		{"no type", Parameter{Usage: invocations.Input, Passing: ByValue, Layout: Number{}}, `element type "" is not known`},
		{"array by value", Parameter{Name: "x", Element: invocations.Float32, Usage: invocations.Input, Passing: ByValue,
			Layout: array}, "argument 1 (x): only a number that is an input is passed by value"},
		{"output by value", Parameter{Element: invocations.Float32, Usage: invocations.Output, Passing: ByValue,
			Layout: Number{}}, "argument 1: only a number that is an input is passed by value"},
		{"allocated input", Parameter{Element: invocations.Float32, Usage: invocations.InputOutput, Passing: CalleeAllocates,
			Layout: array}, "what the function allocates is an output"},
		{"factor zero", Parameter{Element: invocations.Float32, Usage: invocations.Input,
			Layout: Sized{[]sizes.Expression{sizes.Number(0)}, "0"}}, `size "0" has the factor 0`},
		{"shape", Parameter{Element: invocations.Float32, Usage: invocations.Input, Layout: Affine{Shape: []int64{0}}},
			"shape [0]"},
	} {
		_, err := NewPrototype("f", []Parameter{c.parameter}, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
	}
	_, err := NewPrototype("f", nil, "float8")
	if err == nil || !strings.Contains(err.Error(), `return: its type "float8"`) {
		t.Errorf("error %v", err)
	}
	_, err = NewPrototype("f", []Parameter{runtimeArray("x", "float*", "input", "n*2")}, "")
	var name *SizeNameError
	if !errors.As(err, &name) || name.Name != "n" {
		t.Errorf("a size that names nothing: %v", err)
	}
}

// Numbers without a default value are described with an example, and a call without them names them all.
func TestRequiredNumbers(t *testing.T) {
	required := func(name, declared string) Parameter {
		p := element(name, declared, "input")
		p.Layout = Number{Required: true}
		return p
	}
	f := function("f", "void", required("n", "long"), required("a", "float"), runtimeArray("x", "float*", "input", "n"))
	var out invocations.Function
	if err := f.Prototype.Describe(&out, nil); err != nil {
		t.Fatal(err)
	}
	if len(out.Parameters) != 2 || out.Parameters[0] != (invocations.Parameter{Name: "n", Example: "4096"}) ||
		out.Parameters[1] != (invocations.Parameter{Name: "a", Example: "1.5"}) {
		t.Errorf("parameters %+v", out.Parameters)
	}
	_, err := f.Prototype.bind(nil, nil, 0)
	if err == nil || !strings.Contains(remedy.Told(err, nil), "no value is given for n, a; each n 4096") {
		t.Errorf("error %v", err)
	}
}

// Functions of other files are references only where the front end can read them.
func TestReferenceInAnotherFile(t *testing.T) {
	x := affine("x", "float*", "output", row(1))
	l := newLibrary(t, "void f(float* x) { x[0] = 1; }\n", function("f", "void", x))
	other := newLibrary(t, "void g(float* x) { x[0] = 2; }\n", function("g", "void", x))
	inv := &invocations.Invocation{Function: "f",
		Verify: invocations.Verification{Reference: "g", Of: invocations.Artifact{Path: "other"}}}
	_, err := load(t, l).Prepare(inv, 0)
	if err == nil || !strings.Contains(err.Error(), "not compared with those of other files") {
		t.Errorf("error %v", err)
	}
	l.Other = func(a invocations.Artifact) (*Library, error) {
		if a.Path != "other" {
			t.Errorf("asked for %s", a.Path)
		}
		return other, nil
	}
	mismatch, err := prepare(t, load(t, l), inv, 0).Verify(func(string) {})
	if err != nil || !strings.Contains(mismatch, "argument 1 (x): 1 of 1 elements") {
		t.Errorf("%q, %v", mismatch, err)
	}
}

// Sizes of memory are never negative, and never zero except for arrays of the callee.
func FuzzPrototype(f *testing.F) {
	f.Add(int64(3), int64(4), int64(-4), int64(1), int64(8), "N * 2", true)
	f.Add(int64(1), int64(1), int64(0), int64(0), int64(0), "(N+1)*N", false)
	f.Fuzz(func(t *testing.T, rows, columns, down, right, offset int64, size string, allocates bool) {
		vector := runtimeArray("a", "double*", "output", "1")
		if allocates {
			vector.Passing = CalleeAllocates
		}
		e, err := declarations.ParseExpression(size)
		if err != nil {
			return
		}
		vector.Layout = Sized{e.Factors(), size}
		p, err := NewPrototype("f", []Parameter{element("N", "int64_t", "input"), vector,
			affine("b", "uint16_t*", "input_output", Affine{[]int64{rows, columns}, []int64{down, right}, offset})}, "")
		if err != nil {
			return
		}
		p.signature()
		b, err := p.bind(nil, nil, 0)
		if err != nil {
			return
		}
		for i := range b.arguments {
			if n := b.elements[i] * b.arguments[i].Element.Size(); n < 0 || n == 0 && !b.arguments[i].Callee {
				t.Errorf("%s takes %d bytes", b.arguments[i].label(), n)
			}
		}
	})
}
