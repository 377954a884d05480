package values

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"zonemark/invocations"
)

func encodeFloats(e invocations.ElementType, values ...float64) []byte {
	var b []byte
	for _, v := range values {
		switch e {
		case invocations.Float16:
			b = binary.LittleEndian.AppendUint16(b, Float16FromFloat64(v))
		case invocations.BFloat16:
			b = binary.LittleEndian.AppendUint16(b, BFloat16FromFloat64(v))
		case invocations.Float32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		default:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

func TestCompareFloats(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name      string
		element   invocations.ElementType
		got, want []float64
		tolerance float64
		text      string
	}{
		{"equal", invocations.Float32, []float64{1, nan, inf, -inf}, []float64{1, nan, inf, -inf}, 0, ""},
		{"zero signs", invocations.Float64, []float64{math.Copysign(0, -1), 1}, []float64{0, 1}, 0, ""},
		{"within the default", invocations.Float32, []float64{1.00005, 2}, []float64{1, 2}, 0, ""},
		{"beyond the default", invocations.Float32, []float64{1, 2.5}, []float64{1, 2}, 0,
			"1 of 2 elements differ; the first is element 1: got 2.5, want 2; " +
				"largest relative error 0.25, tolerance 0.0001"},
		{"float64 is finer", invocations.Float64, []float64{1.00001}, []float64{1}, 0, "1 of 1 elements differ"},
		{"float16", invocations.Float16, []float64{1.009}, []float64{1}, 0, ""},
		{"float16 beyond", invocations.Float16, []float64{1.02}, []float64{1}, 0, "tolerance 0.01"},
		{"bfloat16", invocations.BFloat16, []float64{1.04}, []float64{1}, 0, ""},
		{"bfloat16 beyond", invocations.BFloat16, []float64{1.0625}, []float64{1}, 0,
			"largest relative error 0.0625, tolerance 0.05"},
		{"given tolerance", invocations.Float64, []float64{1.4}, []float64{1}, 0.5, ""},
		{"NaN tolerance is the default", invocations.Float64, []float64{1.4}, []float64{1}, nan, "tolerance 1e-09"},
		{"cancelled to nearly zero", invocations.Float32, []float64{1e-6, 1, 1, 1}, []float64{-1e-6, 1, 1, 1}, 0, ""},
		{"nearly zero throughout", invocations.Float32, []float64{1e-6}, []float64{-1e-6}, 0,
			"largest relative error 2,"},
		{"reference of zeros", invocations.Float32, []float64{0, 1e-30}, []float64{0, 0}, 0,
			"the first is element 1: got 1e-30"},
		{"NaN got", invocations.Float64, []float64{nan}, []float64{1}, 0,
			"got NaN, want 1; largest relative error +Inf"},
		{"NaN wanted", invocations.Float64, []float64{1, 0}, []float64{nan, 0}, 0, "1 of 2 elements differ"},
		{"infinite got", invocations.Float64, []float64{inf, 1}, []float64{math.MaxFloat64, 1}, 0.9,
			"1 of 2 elements differ"},
		{"infinite wanted", invocations.Float64, []float64{math.MaxFloat64, 1}, []float64{inf, 1}, 0.9,
			"1 of 2 elements differ"},
		{"other infinity", invocations.Float64, []float64{-inf}, []float64{inf}, 0.9, "1 of 1 elements differ"},
		{"infinity does not widen the scale", invocations.Float64, []float64{inf, 1}, []float64{inf, 2}, 0,
			"1 of 2 elements differ"},
		{"mean beyond float64", invocations.Float64, []float64{math.MaxFloat64, 0},
			[]float64{math.MaxFloat64, math.MaxFloat64}, 0, "1 of 2 elements differ"},
		{"difference beyond float64", invocations.Float64, []float64{-math.MaxFloat64}, []float64{math.MaxFloat64}, 1.5,
			"largest relative error +Inf"},
	} {
		text := Compare(encodeFloats(c.element, c.got...), encodeFloats(c.element, c.want...), c.element, c.tolerance)
		if (text == "") != (c.text == "") || !strings.Contains(text, c.text) {
			t.Errorf("%s: %q, want %q", c.name, text, c.text)
		}
	}
}

func TestCompareIntegers(t *testing.T) {
	for _, c := range []struct {
		element   invocations.ElementType
		got, want string
		text      string
	}{
		{invocations.Int8, "\x80\x00", "\x7f\x00",
			"1 of 2 elements differ; the first is element 0: got -128, want 127; largest difference 255"},
		{invocations.Uint8, "\x00\x05\x80", "\x00\x09\x7f",
			"2 of 3 elements differ; the first is element 1: got 5, want 9; largest difference 4"},
		{invocations.Bool, "\x01", "\x00", "got 1, want 0"},
		{invocations.Int16, "\xff\xff", "\x01\x00", "got -1, want 1; largest difference 2"},
		{invocations.Uint16, "\xff\xff", "\x01\x00", "got 65535, want 1; largest difference 65534"},
		{invocations.Int32, "\xff\xff\xff\xff", "\x01\x00\x00\x00", "got -1, want 1; largest difference 2"},
		{invocations.Uint32, "\x01\x00\x00\x00", "\xff\xff\xff\xff",
			"got 1, want 4294967295; largest difference 4294967294"},
		{invocations.Int64, "\x00\x00\x00\x00\x00\x00\x00\x80", "\xff\xff\xff\xff\xff\xff\xff\x7f",
			"largest difference 18446744073709551615"},
		{invocations.Uint64, "\x00\x00\x00\x00\x00\x00\x00\x80", "\x00\x00\x00\x00\x00\x00\x00\x00",
			"got 9223372036854775808, want 0; largest difference 9223372036854775808"},
		{invocations.Int32, "\x01\x00\x00\x00", "\x01\x00\x00\x00", ""},
		{invocations.Int32, "\x01\x00\x00\x00", "", "got 4 bytes of int32, want 0"},
		{invocations.Int32, "\x01", "\x02", "no whole elements"},
		{"int4", "\x01", "\x02", `unknown type "int4"`},
	} {
		text := Compare([]byte(c.got), []byte(c.want), c.element, 0)
		if (text == "") != (c.text == "") || !strings.Contains(text, c.text) {
			t.Errorf("%s: %q, want %q", c.element, text, c.text)
		}
	}
}
