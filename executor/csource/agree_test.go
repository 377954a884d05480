package csource

import (
	"strings"
	"testing"

	"zonemark/executor/cfunction/declarations"
)

// A prototype with other numbers than its function has made calls that computed with garbage: a sum of doubles that was
// called with floats was clean.
func TestDisagreement(t *testing.T) {
	for _, c := range []struct{ prototype, definition, want string }{
		{"double f(long n, const double x[n])", "double f(long n, const double *x) { return 0; }", ""},
		{"double f(long n, const float x[n])", "double f(long n, const double x[n]) { return 0; }",
			"(x) is float, and in its definition in line 1 double"},
		{"double f(long n, const float x[n])", "double f(long n, const double *x) { return 0; }", "(x) is float"},
		{"float f(long n)", "double f(long n) { return 0; }", "what it returns is float"},
		{"int f(long n)", "double f(long n) { return 0; }", "what it returns is int"},
		{"void f(int n, float a)", "void f(int n, double a) {}", "(a) is float"},
		{"void f(double n)", "void f(int n) {}", "(n) is double"},
		{"void f(int n)", "void f(long n) {}", ""},
		{"void f(size_t n)", "void f(int n) {}", "(n) is size_t, and in its definition in line 1 int"},
		{"void f(int b)", "#include <stdbool.h>\nvoid f(bool b) {}", "(b) is int"},
		{"void f(unsigned long n)", "void f(long n) {}", ""},
		{"long f(int n)", "int f(int n) { return 0; }", "what it returns is long"},
		{"int f(int n)", "long f(int n) { return 0; }", ""},
		{"int f(int n)", "void f(int n) {}", "what it returns is int, and in its definition in line 1 void"},
		{"void f(int n)", "int f(int n) { return 0; }", ""},
		{"void f(unsigned n, float x[n])", "void f(int n, unsigned char *x) {}", ""},
		{"void f(int n, float x[n])", "void f(int n, void *x) {}", ""},
		{"void f(int n, uint32_t x[n])", "void f(int n, float x[n]) {}", ""},
		{"void f(int n, double z[n][2])", "struct p { double a, b; }; void f(int n, struct p *z) {}", ""},
		{"long f(int n)", "void *f(int n) { return 0; }", ""},
	} {
		given, err := declarations.ReadPrototypes("--function", c.prototype, declarations.Names{})
		if err != nil {
			t.Fatal(err)
		}
		defined, _ := declarations.Read("k.c", c.definition)
		if got := disagreement(&given[0], &defined[0]); got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s of %s: %q, want %q", c.prototype, c.definition, got, c.want)
		}
	}
}
