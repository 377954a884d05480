package csource

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
)

// A prototype may be read and say nothing that can be called. What is wrong is said where functions are listed, with
// the line, and where such a function is called.
func TestPrototypesThatCannotBeCalled(t *testing.T) {
	folder := filepath.Dir(cfunctiontest.WriteKernels(t, "void half(void) {} void returned(void) {} void zero(void) {} void cube(void) {}\n"+
		"void huge(void) {} void bytes(void) {} float *pointer(float *x) { return x; } void odd(void) {}\n"))
	cfunctiontest.CC(t, folder, "-shared", "-fPIC", "-o", "libk.so", "kernels.c")
	path := filepath.Join(folder, "libk.so")
	options := map[string]string{OptionPrototype: `void half(_Float16 x, float y[4]);
_Float16 returned(int n);
float *pointer(long n, float x[n]);
void zero(long n, float x[(n + 1) * 0]);
void cube(const double x[4][3][2], unsigned char y[restrict 7]);
void huge(float x[4294967296][4294967296]);
void bytes(double x[4611686018427387904]);
void odd(short char x)`}
	d, a := describeC(t, path, options), buildC(t, path, t.TempDir(), options)
	for i, c := range []struct{ function, signature, skip string }{
		{"half", "", "argument 1 (x): a _Float16 by value is passed differently by different compilers; pass it by address"},
		{"returned", "", `"_Float16" is not supported; a function may return void, an integer, float or double`},
		{"pointer", "(input int64, input_output float32*[#0]) uint64", ""},
		{"zero", "", `argument 2 (x): size "(n+1)*0" has the factor 0; a size must be at least 1`},
		{"cube", "(input float64*[4 3 2], input_output uint8*[7]) void", ""},
		{"huge", "", "argument 1 (x): shape [4294967296 4294967296]: every dimension must be at least 1 and their product " +
			"must fit into 64 bits"},
		{"bytes", "", "argument 1 (x): shape [4611686018427387904] of float64 takes more bytes than 64 bits can count"},
		{"odd", "", `"short char" is not supported; use bool, int8_t`},
	} {
		f := d.Functions[i]
		if f.Name != c.function || f.Signature != c.signature || !strings.Contains(f.Skip, c.skip) ||
			(f.Skip == "") != (c.skip == "") {
			t.Errorf("%+v, want %+v", f, c)
		}
		if c.skip == "" {
			continue
		}
		if place := ":" + string(rune('1'+i)) + ": function " + c.function + ": "; !strings.Contains(f.Skip, place) {
			t.Errorf("%s lacks %q", f.Skip, place)
		}
		_, err := callC(t, a, invocations.Invocation{Function: c.function})
		if err == nil || !strings.Contains(err.Error(), path+": function "+c.function+": ") ||
			!strings.Contains(err.Error(), c.skip) {
			t.Errorf("%s is called: %v", c.function, err)
		}
	}
	_, err := callC(t, a, invocations.Invocation{Function: "cub"})
	if err == nil || !strings.Contains(err.Error(), path+` describes no function "cub"; did you mean "cube"?`) {
		t.Errorf("a function that is not there: %v", err)
	}
}

// A product of several bounds is as long as it is: each bound has a limit of its own.
func TestLongProductOfBounds(t *testing.T) {
	bound := strings.Repeat("n + ", 150) + "n"
	path := cfunctiontest.WriteKernels(t, "void f(int n, float x["+bound+"]["+bound+"]) { }\n")
	f := describeC(t, path, nil).Functions[0]
	sum := "(" + strings.TrimSuffix(strings.Repeat("#0+", 151), "+") + ")"
	if want := "(input int32, input_output float32*[" + sum + "*" + sum + "]) void"; f.Skip != "" || f.Signature != want {
		t.Errorf("%s, %s", f.Signature, f.Skip)
	}
}
