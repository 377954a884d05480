package cfunction

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// function returns a function of a library. Types are those of C.
func function(name, result string, parameters ...Parameter) Function {
	f := Function{Symbol: name}
	element, _ := declarations.Element(result, "linux")
	f.Prototype, f.Err = NewPrototype(name, parameters, element)
	return f
}

// setUp returns the function as one that is called once before the others.
func setUp(f Function) Function {
	f.SetUp = true
	return f
}

// affine, runtimeArray and element return parameters for function. The element type is the declared one without
// qualifiers, and the number of its stars says how it is passed.
func affine(name, declared, usage string, layout Affine) Parameter {
	return parameter(name, declared, usage, layout)
}

func runtimeArray(name, declared, usage, size string) Parameter {
	return parameter(name, declared, usage, Sized{Factors: factors(size), Text: size})
}

func element(name, declared, usage string) Parameter {
	return parameter(name, declared, usage, Number{})
}

func parameter(name, declared, usage string, layout Layout) Parameter {
	element, _ := declarations.Element(strings.ReplaceAll(declared, "*", " "), "linux")
	passing := []Passing{ByValue, ByAddress, CalleeAllocates}[strings.Count(declared, "*")]
	return Parameter{Name: name, Element: element, Usage: invocations.Usage(usage), Passing: passing, Layout: layout}
}

// factors reads a size that tests write as text.
func factors(size string) []sizes.Expression {
	if strings.TrimSpace(size) == "" {
		return nil
	}
	e, err := declarations.ParseExpression(size)
	if err != nil {
		panic(err)
	}
	return e.Factors()
}

// row returns the layout of a dense vector.
func row(n int64) Affine { return Affine{Shape: []int64{n}, Strides: []int64{1}} }

// newLibrary compiles a library and describes its functions.
func newLibrary(t testing.TB, code string, functions ...Function) *Library {
	t.Helper()
	folder := t.TempDir()
	compile(t, folder, "lib.so", code)
	return &Library{Of: filepath.Join(folder, "test"), Functions: functions,
		File: File{Path: filepath.Join(folder, "lib.so"), Name: "lib.so", Remedy: "install what it needs"}}
}

// load opens a library and closes it at the end of the test.
func load(t testing.TB, l *Library) executor.Program {
	t.Helper()
	p, err := Open(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// These are short names of package cfunctiontest.

func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	return cfunctiontest.Write(t, folder, name, text)
}

func compile(t testing.TB, folder, name, code string) {
	t.Helper()
	cfunctiontest.Compile(t, folder, name, code)
}

func prepare(t testing.TB, p executor.Program, inv *invocations.Invocation, setBytes int64) *executor.Call {
	t.Helper()
	return cfunctiontest.Prepare(t, p, inv, setBytes)
}

func run(t testing.TB, call *executor.Call, calls int) returned {
	t.Helper()
	var r returned
	r.integer, r.float = cfunctiontest.Run(t, call, calls)
	return r
}

func firstSet[T any](call *executor.Call, offset, n int) []T {
	return cfunctiontest.FirstSet[T](call, offset, n)
}

func code(call *executor.Call) *executor.Native { return cfunctiontest.Code(call) }

func input(name, contents string) invocations.Argument { return cfunctiontest.Input(name, contents) }
