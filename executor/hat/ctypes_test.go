package hat

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

func TestCTypes(t *testing.T) {
	for _, c := range []struct {
		text, os string
		element  invocations.ElementType
		pointers int
		known    bool
	}{
		{"float", "", invocations.Float32, 0, true},
		{"const float*", "", invocations.Float32, 1, true},
		{"float const * const", "", invocations.Float32, 1, true},
		{"int32_t **", "", invocations.Int32, 2, true},
		{"bfloat16_t*", "", invocations.BFloat16, 1, true},
		{"int", "", invocations.Int32, 0, true},
		{"unsigned", "", invocations.Uint32, 0, true},
		{"signed", "", invocations.Int32, 0, true},
		{"unsigned int*", "", invocations.Uint32, 1, true},
		{"short int", "", invocations.Int16, 0, true},
		{"short unsigned int", "", invocations.Uint16, 0, true},
		{"unsigned char*", "", invocations.Uint8, 1, true},
		{"signed char", "", invocations.Int8, 0, true},
		{"long", "linux", invocations.Int64, 0, true},
		{"unsigned long int", "macos", invocations.Uint64, 0, true},
		{"long", "windows", invocations.Int32, 0, true},
		{"long long int", "windows", invocations.Int64, 0, true},
		{"std::size_t", "", invocations.Uint64, 0, true},
		{"_Bool", "", invocations.Bool, 0, true},
		{"void", "", "", 0, true},
		{"void*", "", "", 1, true},
		{"struct point", "", "", 0, false},
		{"long double", "", "", 0, false},
		{"int int8_t", "", invocations.Int8, 0, true},
		{"", "", "", 0, false},
	} {
		got := parseCType(c.text, c.os)
		if got.element != c.element || got.pointers != c.pointers || got.known != c.known {
			t.Errorf("%q on %q: %+v, want %+v", c.text, c.os, got, c)
		}
	}
}

func TestElementOf(t *testing.T) {
	for _, c := range []struct {
		declared, element string
		want              invocations.ElementType
		err               string
	}{
		{"float*", "float", invocations.Float32, ""},
		{"uint16_t*", "float16_t", invocations.Float16, ""},
		{"real_t*", "double", invocations.Float64, ""},
		{"const double*", "", invocations.Float64, ""},
		{"long*", "long", invocations.Int64, ""},
		{"float*", "double", "", "differ in size"},
		{"float*", "float8", "", "not supported"},
		{"float*", "float*", "", "not supported"},
		{"real_t*", "", "", "element_type is missing"},
		{"void", "void", "", "not supported"},
	} {
		got, err := elementOf(&Parameter{DeclaredType: c.declared, ElementType: c.element},
			parseCType(c.declared, "linux"))
		if got != c.want && c.err == "" || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q, %q: %q, %v; want %q, %q", c.declared, c.element, got, err, c.want, c.err)
		}
	}
}
