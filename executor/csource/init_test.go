package csource

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor/cfunction"
	"zonemark/invocations"
)

func TestParseInits(t *testing.T) {
	for text, want := range map[string][]cfunction.InitFunction{
		"":                       nil,
		"setup":                  {{Name: "setup", Result: invocations.Int32}},
		" a ; int b(void) ;":     {{Name: "a", Result: invocations.Int32}, {Name: "b", Result: invocations.Int32}},
		"sodium_init >= 0":       {{Name: "sodium_init", Result: invocations.Int32, Relation: ">="}},
		"long f(void) == -3":     {{Name: "f", Result: invocations.Int64, Relation: "==", Bound: -3}},
		"unsigned char f() != 0": {{Name: "f", Result: invocations.Uint8, Relation: "!="}},
		"void f(void)":           {{Name: "f"}},
		"double f(void)":         {{Name: "f"}},
		"void *f(void)":          {{Name: "f"}},
		"a<1;b>2;c<=3": {
			{Name: "a", Result: invocations.Int32, Relation: "<", Bound: 1},
			{Name: "b", Result: invocations.Int32, Relation: ">", Bound: 2},
			{Name: "c", Result: invocations.Int32, Relation: "<=", Bound: 3},
		},
		"size_t f(void)>=9000000000": {{Name: "f", Result: invocations.Uint64, Relation: ">=", Bound: 9000000000}},
	} {
		got, err := parseInits(text)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, d)
		}
	}
	for text, want := range map[string]string{
		"int f(int a)":              "takes no parameters; write one that calls it",
		"void f(void) == 0":         "returns no integer to compare by == 0",
		"double f(void) > 1":        "returns no integer",
		"f == 99999999999999999999": "write a number of 64 bits",
		"what is this":              "init:1",
		"int f(void), g(void) >= 0": "this is no prototype",
		"f() ":                      "init:1",
	} {
		if _, err := parseInits(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
