package declarations

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// describe returns a function as C declares it, with what was understood of it.
func describe(f *Function) string {
	parameters := make([]string, len(f.Parameters))
	for i, p := range f.Parameters {
		text := p.Type.Name + strings.Repeat("*", p.Type.Pointers)
		if p.Type.Const {
			text = "const " + text
		}
		if p.Name != "" {
			text += " " + p.Name
		}
		for _, b := range p.Bounds {
			text += "[" + b.String() + "]"
		}
		parameters[i] = text
	}
	return fmt.Sprintf("%s%s %s(%s)", f.Result.Name, strings.Repeat("*", f.Result.Pointers), f.Name,
		strings.Join(parameters, ", "))
}

func TestReadPrototypes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"void saxpy(long n, float a, const float x[n], float y[n])",
			"void saxpy(long n, float a, const float x[n], float y[n])"},
		{"extern double dot(size_t n, float const x[restrict static n], const float * p);", ""},
		{"int f(void);", "int f()"},
		{"int f()", "int f()"},
		{"void f(float a[3][4], const int8_t b[2*3])", "void f(float a[3][4], const int8_t b[6])"},
		{"void f(float a[n][m], int n, int m)", "void f(float a[n][m], int n, int m)"},
		{"void f(int n, int m, float a[(n+2)*m], float b[n*m/2], float c[n-(m-1)])",
			"void f(int n, int m, float a[(n+2)*m], float b[n*m/2], float c[n-(m-1)])"},
		{"unsigned long long f(unsigned n, const unsigned char s[const n])",
			"unsigned long long f(unsigned n, const unsigned char s[n])"},
		{"typedef double real; real f(real x, const real y[4]);", "double f(double x, const double y[4])"},
		{"typedef const float *row; void f(row x);", ""},
		{"enum { N = 4, M, K = N * M }; void f(float x[N][M][K]);", "void f(float x[4][5][20])"},
		{"__attribute__((noinline)) static inline void f(int n, __attribute__((aligned(64))) float x[n]) " +
			"__attribute__((cold));", "void f(int n, float x[n])"},
		{"[[nodiscard]] int f(const float [4]);", "int f(const float[4])"},
		{"float *f(bool b)", "float* f(bool b)"},
		{"void f(float x[0x10u], double y[2L])", "void f(float x[16], double y[2])"},
		{"enum color f(enum color c)", "int f(int c)"},
		{"void f(long n, /* the input */ float x[n] // and output\n)", "void f(long n, float x[n])"},
	} {
		list, err := ReadPrototypes("--function", c.text, Names{})
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: no error", c.text)
		case c.want != "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.want != "":
			if got := describe(&list[0]); got != c.want {
				t.Errorf("%s: %s, want %s", c.text, got, c.want)
			}
		}
	}
}

func TestPrototypeErrors(t *testing.T) {
	for _, c := range []struct {
		text, marked, message string
	}{
		{"void f(long n, flaot x[n])", "flaot", `did you mean "float"?`},
		{"void f(long n, uint32t x[n])", "uint32t", `did you mean "uint32_t"?`},
		{"void f(long rows, float x[row])", "row", `row is no parameter of f; did you mean "rows"?`},
		{"void f(long n, float *x)", "x", "x has no shape; write float x[n]"},
		{"void f(const float *)", "*", "x has no shape; write const float x[n]"},
		{"void f(void *p)", "p", "p has no element type and no shape"},
		{"void f(float **x)", "x", "an array of pointers"},
		{"void f(float *x[4])", "x", "an array of pointers"},
		{"void f(float x[])", "[", "a bound of x is missing"},
		{"void f(float x[*])", "[", "a bound of x is missing"},
		{"void f(float x[][4])", "[", "a bound of x is missing"},
		{"void f(float x[0])", "0", "it must be at least 1"},
		{"void f(int n, float x[n+])", "]", "ends too early"},
		{"void f(int n, float x[n n])", "n", "is not understood here"},
		{"void f(int n, float x[(n])", "", "ends too early"},
		{"void f(float n, float x[n])", "n", "n is no integer"},
		{"void f(int n[2], float x[n])", "n", "n is no integer"},
		{"void f(int n, float (*x)[n])", "(", "an array has all bounds"},
		{"void f(struct point p)", "struct", "a structure cannot be handed over"},
		{"struct point f(int n)", "struct", "a structure cannot be handed over"},
		{"typedef struct { double re, im; } cplx; void f(const cplx *z)", "z",
			"z has structures as elements; a prototype of your own can have them as numbers, such as const double z[n][2]"},
		{"typedef struct p { unsigned char r; unsigned char g, b; } px; void f(px *z)", "z",
			"such as unsigned char z[n][3]"},
		{"struct p { float x, y; }; void f(int n, struct p z[n])", "z", "such as float z[n][2]"},
		{"typedef struct p p; struct p { int x; }; void f(p *z)", "z", "such as int z[n][1]"},
		{"struct p { float x, y; }; typedef struct q q; void f(q *z)", "q", "a structure cannot be handed over"},
		{"struct p { float x, y; }; void f(struct p z)", "z", "a structure cannot be handed over"},
		{"struct p { float x, y; }; struct p f(int n)", "struct", "a structure cannot be returned"},
		{"typedef struct { char a; double b; char c, d; } mixed; void f(mixed *z)", "z", "such as uint8_t z[n][24]"},
		{"typedef struct { int a; long double b; } wide; void f(wide *z)", "wide", "a structure cannot be handed over"},
		{"typedef struct { int a[2]; } pair; void f(pair *z)", "pair", "a structure cannot be handed over"},
		{"typedef struct { int a; } *handle; void f(handle z)", "handle", "is no arithmetic type"},
		{"typedef struct { int a", "", "there is no prototype"},
		{"void f(int)", "int", "a number needs a name"},
		{"void f(int n, void)", "void", "a parameter cannot be void"},
		{"void f(int n,)", ")", "a parameter is missing before this"},
		{"void f(int n,, int m)", "int", "a parameter is missing before this"},
		{"void f(int n, ...)", "...", "a variable number of arguments"},
		{"void f(int n float x[n])", "float", "a comma is missing before this"},
		{"void f(int n, float a b)", "a", "is no arithmetic type"},
		{"void f(float a const float x[4])", "float", "a comma is missing before this"},
		{"void f(long double x)", "double", `"long double" is not supported`},
		{"void f(int n", "(", "the parenthesis is not closed"},
		{"f(int n)", "f", "the type of the return value is missing; write void f(…)"},
		{"int x = f(2);", "int", "this is no prototype of a function"},
		{"hello", "hello", "this is no prototype of a function"},
		{"", "", "there is no prototype of a function"},
	} {
		_, err := ReadPrototypes("--function", c.text, Names{})
		var p *Problem
		if !errors.As(err, &p) {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !strings.Contains(p.Message, c.message) {
			t.Errorf("%s: %s, want %s", c.text, p.Message, c.message)
		}
		if c.marked == "" {
			continue
		}
		if got := p.Source[p.Column-1 : p.Column-1+p.Width]; got != c.marked {
			t.Errorf("%s: %q is marked, want %q", c.text, got, c.marked)
		}
	}
}

// The carets stand below the marked text, also if there are tabs and characters of several bytes before it.
func TestProblemText(t *testing.T) {
	_, err := ReadPrototypes("--function", "/* ö */\tvoid f(flaot x);", Names{})
	want := "--function:1:17: \"flaot\" is no arithmetic type; did you mean \"float\"?\n" +
		"  /* ö */\tvoid f(flaot x);\n" +
		"         \t       ^^^^^"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

// source is what a preprocessor writes of a file.
const source = `# 0 "kernels.c"
# 1 "/usr/include/stdio.h" 1 3 4
typedef struct _file { int x; } FILE;
extern int printf(const char *restrict format, ...);
extern __inline __attribute__((__gnu_inline__)) int getchar(void) { return 0; }
typedef unsigned char __u8; typedef __u8 byte;
# 3 "kernels.c" 2
static const int table[] = { 1, 2, 3 };
struct pair { float a, b; } pairs[4];
int (*callback)(int);
extern "C" {
void brighten(long n, byte pixels[n])
{
    for (long i = 0; i < n; i++) { pixels[i] += "}"[0] + '{'; }
}
}
static float helper(float x) { return x; }
void shapeless(float *x) { *x = helper(*x); }
#pragma omp declare simd
_Static_assert(sizeof(int) == 4, "int");
double last(double x) { return x; };
`

func TestRead(t *testing.T) {
	want := []string{
		"/usr/include/stdio.h:2 printf: format has no shape",
		"/usr/include/stdio.h:3 getchar defined",
		"kernels.c:7 brighten defined: void brighten(long n, unsigned char pixels[n])",
		"kernels.c:12 helper defined static",
		"kernels.c:13 shapeless defined: x has no shape",
		"kernels.c:16 last defined",
	}
	var got []string
	functions, _ := Read("x", source)
	for _, f := range functions {
		text := fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Name)
		if f.Defined {
			text += " defined"
		}
		if f.Static {
			text += " static"
		}
		if len(f.Problems) > 0 {
			text += ": " + f.Problems[0].Message
		} else {
			text += ": " + describe(&f)
		}
		got = append(got, text)
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestExpressions(t *testing.T) {
	values := map[string]int64{"n": 7, "m": 3, "big": 1 << 62}
	lookup := func(name string) (int64, error) {
		if v, known := values[name]; known {
			return v, nil
		}
		return 0, fmt.Errorf("no %s", name)
	}
	for _, c := range []struct {
		text, printed string
		value         int64
		err           string
	}{
		{"n", "n", 7, ""},
		{" n * m + 2", "n*m+2", 23, ""},
		{"n*(m+2)", "n*(m+2)", 35, ""},
		{"n-(m-2)", "n-(m-2)", 6, ""},
		{"(n-m)-2", "n-m-2", 2, ""},
		{"n/(m*2)", "n/(m*2)", 1, ""},
		{"n%4", "n%4", 3, ""},
		{"2*3+1", "7", 7, ""},
		{"(((n)))", "n", 7, ""},
		{"0x20/2", "16", 16, ""},
		{"n/(m-3)", "n/(m-3)", 0, "divided by zero"},
		{"1/0", "1/0", 0, "divided by zero"},
		{"big*2", "big*2", 0, "64 bits"},
		{"big+big", "big+big", 0, "64 bits"},
		{"0-big-big-1", "0-big-big-1", 0, "64 bits"},
		{"k", "k", 0, "no k"},
	} {
		e, err := ParseExpression(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		value, err := e.Evaluate(lookup)
		if e.String() != c.printed || value != c.value || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %s = %d, %v; want %s = %d, %q", c.text, e, value, err, c.printed, c.value, c.err)
		}
	}
	for _, text := range []string{"", "n+", "*n", "n n", "(n", "n)", "sizeof(n)", "1.5", "08", "n?1:2",
		strings.Repeat("(", 1000), strings.Repeat("n+", 1000) + "n"} {
		if e, err := ParseExpression(text); err == nil {
			t.Errorf("%.20s: no error but %.20s", text, e)
		}
	}
}

// The names of types that are read are those that can be called.
func TestTypeNames(t *testing.T) {
	for _, name := range TypeNames() {
		if element, _ := Element(name, "linux"); element == "" {
			t.Errorf("%s is read and cannot be called", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(source)
	f.Add("void saxpy(long n, float a, const float x[n], float y[restrict n]);")
	f.Add("enum { A = 1 << 3, B }; void f(float x[A*(B+2)]), g(int), (*h)(void);")
	f.Add("int f(x) int x; { return x; } typedef float (*p)(int[3]); # 1 \"a")
	f.Fuzz(func(t *testing.T, text string) {
		functions, _ := Read("file.c", text)
		for _, fn := range functions {
			if shaped, ok := fn.Shaped(); ok && len(shaped) == 0 {
				t.Errorf("%q: %+v is shaped as nothing", text, fn)
			}
			for _, p := range fn.Problems {
				if p.Line < 0 || p.Column < 1 || p.Message == "" || p.Error() == "" {
					t.Errorf("problem %+v", p)
				}
			}
			if len(fn.Problems) > 0 || fn.Static {
				continue
			}
			// What was understood reads back as the same.
			again, err := ReadPrototypes("again", describe(&fn), Names{})
			if err != nil {
				t.Fatalf("%q: %q: %v", text, describe(&fn), err)
			}
			if got := describe(&again[0]); got != describe(&fn) {
				t.Errorf("%q: %q reads back as %q", text, describe(&fn), got)
			}
		}
	})
}
