package cfunction

import (
	"maps"
	"strings"
	"testing"
)

func TestBindDefaultsAndParameters(t *testing.T) {
	sizes := []Parameter{element("M", "int64_t", "input"), element("N", "int64_t", "input"),
		element("K", "int8_t", "input"),
		element("alpha", "float", "input"), element("count", "int", "input")}
	for _, c := range []struct {
		name       string
		array      Parameter
		parameters map[string]string
		want       map[string]string
		elements   int64
		note       string
	}{
		{"defaults; K is an int8", runtimeArray("a", "float*", "input", "M*N*K"), nil,
			map[string]string{"M": "128", "N": "128", "K": "127", "alpha": "random", "count": "1"}, 128 * 128 * 127,
			"default sizes: M=128, N=128, K=127"},
		{"halved until they fit", runtimeArray("a", "double*", "input", "M*N*M*N"), nil,
			map[string]string{"M": "32", "N": "32", "K": "1", "alpha": "random", "count": "1"}, 32 * 32 * 32 * 32,
			"default sizes: M=32, N=32"},
		{"one given", runtimeArray("a", "float*", "input", "M * N"), map[string]string{"M": "1048576"},
			map[string]string{"M": "1048576", "N": "16", "K": "1", "alpha": "random", "count": "1"}, 16 << 20,
			"default sizes: N=16"},
		{"all given", runtimeArray("a", "float*", "input", "M*N"),
			map[string]string{"M": "3", "N": "5", "alpha": "0.5", "count": "9", "typo": "1"},
			map[string]string{"M": "3", "N": "5", "K": "1", "alpha": "0.5", "count": "9"}, 15,
			"parameter typo is not used by f"},
	} {
		f := function("f", "void", append(sizes[:len(sizes):len(sizes)], c.array)...)
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		b, err := f.Prototype.bind(c.parameters, nil, 1)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := map[string]string{}
		for _, parameter := range b.parameters() {
			got[parameter.Name] = parameter.Default
		}
		if !maps.Equal(got, c.want) || b.elements[5] != c.elements {
			t.Errorf("%s: %v with %d elements, want %v with %d", c.name, got, b.elements[5], c.want, c.elements)
		}
		if notes := strings.Join(b.notes, "; "); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q lack %q", c.name, notes, c.note)
		}
	}
}

func TestBindErrors(t *testing.T) {
	for _, c := range []struct {
		name       string
		parameters map[string]string
		want       string
	}{
		{"no number", map[string]string{"M": "many"}, "parameter M"},
		{"zero", map[string]string{"M": "0"}, "M is 0"},
		{"negative", map[string]string{"N": "-5"}, "N is -5"},
		{"too large for the product", map[string]string{"M": "4611686018427387904", "N": "4611686018427387904"},
			"64 bits"},
		{"too large for bytes", map[string]string{"M": "4611686018427387904", "N": "1"}, "more bytes"},
		{"out of range", map[string]string{"N": "3000000000"}, "argument 2 (N)"},
	} {
		f := function("f", "void", element("M", "uint64_t", "input"), element("N", "int", "input"),
			runtimeArray("a", "float*", "input", "M*N"))
		if c.name == "too large for the product" {
			f = function("f", "void", element("M", "uint64_t", "input"), element("N", "int64_t", "input"),
				runtimeArray("a", "float*", "input", "M*N"))
		}
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		if _, err := f.Prototype.bind(c.parameters, nil, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
	}
}
