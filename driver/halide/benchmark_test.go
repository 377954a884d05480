package halide

import (
	"bytes"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/python"
)

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range Benchmarks() {
		if seen[b.Name] {
			t.Errorf("%s is there twice", b.Name)
		}
		seen[b.Name] = true
		if found, err := Find(b.Name); err != nil || found.Name != b.Name {
			t.Errorf("Find(%q) = %q, %v", b.Name, found.Name, err)
		}
		source, err := fs.ReadFile(python.Files(), b.Source)
		if err != nil || !bytes.Contains(source, []byte("import halide as hl")) {
			t.Errorf("%s: %s: %v", b.Name, b.Source, err)
		}
		if !strings.HasSuffix(b.Summary, ".") || strings.Count(b.Summary, ". ") > 0 {
			t.Errorf("%s: the summary is not one sentence: %s", b.Name, b.Summary)
		}
		exact := b.Outputs[0].Type != Float32
		if exact != (b.Tolerance == 0) {
			t.Errorf("%s: tolerance %v for an output of %s", b.Name, b.Tolerance, b.Outputs[0].Type)
		}
	}
	if len(seen) != 25 {
		t.Errorf("%d benchmarks", len(seen))
	}
}

func TestFindUnknown(t *testing.T) {
	_, err := Find("gaussian5x")
	if err == nil || err.Error() != `no Halide benchmark is called "gaussian5x"; did you mean "gaussian5x5"?` {
		t.Error(err)
	}
}

func TestBytes(t *testing.T) {
	b, err := Find("fully_connected")
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(1024*8 + 1024*1024 + 4*1024 + 1024*8); b.Bytes() != want {
		t.Errorf("%d bytes, not %d", b.Bytes(), want)
	}
}

// Contents depend on the seed and on the input only, are in their range, and reach its ends.
func TestRandom(t *testing.T) {
	for _, b := range []Benchmark{images()[0], layers()[0], layers()[7]} {
		one, again, other := b.Random(1), b.Random(1), b.Random(2)
		if !reflect.DeepEqual(one, again) || reflect.DeepEqual(one, other) {
			t.Errorf("%s: contents do not depend on the seed alone", b.Name)
		}
		if bytes.Equal(one[0].Data[:9], one[1%len(one)].Data[:9]) && len(one) > 1 {
			t.Errorf("%s: two inputs begin with the same contents", b.Name)
		}
		for i, input := range b.Inputs {
			if err := input.check(one[i]); err != nil {
				t.Errorf("%s: %s: %v", b.Name, input.Name, err)
			}
			values := one[i].floatsOrIntegers()
			least, most := slices.Min(values), slices.Max(values)
			if least < input.Low || most > input.High {
				t.Errorf("%s: %s has values from %v to %v", b.Name, input.Name, least, most)
			}
			if width := input.High - input.Low; len(values) > 1000 && most-least < 0.99*width {
				t.Errorf("%s: %s has values from %v to %v only", b.Name, input.Name, least, most)
			}
		}
	}
}

func (a Array) floatsOrIntegers() []float64 {
	if a.Type == Float32 {
		return a.floats()
	}
	var values []float64
	for _, v := range a.integers() {
		values = append(values, float64(v))
	}
	return values
}

// Inputs of the wrong number, type, dimensions or size are refused, and those that do not fit each other.
func TestReferenceRefuses(t *testing.T) {
	picture := integerArray(Uint8, []int{2, 3}, make([]int32, 6))
	taps := integerArray(Int8, []int{3, 3}, make([]int32, 9))
	zeros := func(extents ...int) Array { return integerArray(Uint8, extents, make([]int32, elements(extents))) }
	bias := func(n int) Array { return integerArray(Int32, []int{n}, make([]int32, n)) }
	for _, c := range []struct {
		name   string
		inputs []Array
		want   string
	}{
		{"blur3x3", nil, "halide benchmark blur3x3: 0 inputs were given, it has 1"},
		{"blur3x3", []Array{taps}, "halide benchmark blur3x3: input src: it is int8 with 2 dimensions, not uint8 with 2"},
		{"blur3x3", []Array{zeros(3)}, "input src: it is uint8 with 1 dimensions, not uint8 with 2"},
		{"blur3x3", []Array{{Uint8, []int{2, 3}, make([]byte, 5)}}, "extents [2 3] of uint8 need 6 bytes, it has 5"},
		{"blur3x3", []Array{{Uint8, []int{0, 3}, nil}}, "extents [0 3]: each is at least 1"},
		{"blur3x3", []Array{{Uint8, []int{-1, -3}, make([]byte, 3)}}, "extents [-1 -3]: each is at least 1"},
		{"blur3x3", []Array{{Uint8, []int{1 << 40, 1 << 40}, nil}}, "all together at most 2147483647"},
		{"conv3x3", []Array{picture, integerArray(Int8, []int{3, 2}, make([]int32, 6))}, "there are 3 × 2 taps"},
		{"conv3x3a16", []Array{picture, taps}, "src of 2 × 3 has no square of 3 × 3"},
		{"conv3x3a32", []Array{zeros(3, 3), integerArray(Int8, []int{2, 3}, make([]int32, 6))}, "there are 2 × 3 taps"},
		{"mul", []Array{picture, zeros(3, 2)}, "a of 2 × 3 and b of 3 × 2 differ"},
		{"conv_nn", []Array{zeros(1, 3, 3, 1), zeros(2, 2, 3, 3), bias(2)}, "weights would be [2 1 3 3]"},
		{"conv_nn", []Array{zeros(1, 3, 2, 1), zeros(2, 1, 3, 3), bias(2)}, "src at least 3 × 3"},
		{"depthwise_conv", []Array{zeros(2, 3, 3, 1), zeros(2, 3, 3), bias(1)}, "and 1 biases do not fit"},
		{"depthwise_conv", []Array{zeros(2, 2, 3, 1), zeros(2, 3, 3), bias(2)}, "src at least 3 × 3"},
		{"matmul", []Array{zeros(2, 3), zeros(3, 3)}, "a [2 3 1 1] and b [3 3 1 1] do not fit"},
		{"batched_matmul", []Array{zeros(2, 3, 2), zeros(3, 2, 1)}, "the third ones are equal"},
		{"fully_connected", []Array{zeros(2, 1), zeros(2, 3), bias(2)}, "and 2 biases do not fit"},
		{"max_pool", []Array{zeros(1, 3, 2, 1)}, "src [1 3 2 1] has no square of 3 × 3"},
	} {
		b, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Reference(c.inputs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %s", c.name, err, c.want)
		}
	}
}

func TestFloatArray(t *testing.T) {
	a := floatArray([]int{2}, []float64{0.5, math.Inf(-1)})
	if got := a.floats(); got[0] != 0.5 || !math.IsInf(got[1], -1) || len(a.Data) != 8 {
		t.Errorf("%v", got)
	}
}
