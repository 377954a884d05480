package hat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
)

func TestParseInits(t *testing.T) {
	for text, want := range map[string][]initFunction{
		"":                           nil,
		"setup":                      {{name: "setup", result: invocations.Int32}},
		" a ; int b(void) ;":         {{name: "a", result: invocations.Int32}, {name: "b", result: invocations.Int32}},
		"sodium_init >= 0":           {{name: "sodium_init", result: invocations.Int32, relation: ">="}},
		"long f(void) == -3":         {{name: "f", result: invocations.Int64, relation: "==", bound: -3}},
		"unsigned char f() != 0":     {{name: "f", result: invocations.Uint8, relation: "!="}},
		"void f(void)":               {{name: "f"}},
		"double f(void)":             {{name: "f"}},
		"void *f(void)":              {{name: "f"}},
		"a<1;b>2;c<=3":               {{"a", invocations.Int32, "<", 1}, {"b", invocations.Int32, ">", 2}, {"c", invocations.Int32, "<=", 3}},
		"size_t f(void)>=9000000000": {{"f", invocations.Uint64, ">=", 9000000000}},
	} {
		got, err := parseInits(text)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(initFunction{})); err != nil || d != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, d)
		}
	}
	for text, want := range map[string]string{
		"int f(int a)":              "takes no parameters; write one that calls it",
		"void f(void) == 0":         "returns no integer that == 0 could be asked of",
		"double f(void) > 1":        "returns no integer",
		"f == 99999999999999999999": "write a number of 64 bits",
		"what is this":              "--init:1",
		"int f(void), g(void) >= 0": "this is no prototype",
		"f() ":                      "--init:1",
	} {
		if _, err := parseInits(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	holds := map[string][3]bool{ // for 1, 2 and 3
		"==": {false, true, false}, "!=": {true, false, true}, "<": {true, false, false}, "<=": {true, true, false},
		">": {false, false, true}, ">=": {false, true, true},
	}
	for relation, want := range holds {
		f := initFunction{relation: relation, bound: 2}
		if got := [3]bool{f.holds(1), f.holds(2), f.holds(3)}; got != want {
			t.Errorf("1, 2, 3 %s 2: %v, want %v", relation, got, want)
		}
	}
}
