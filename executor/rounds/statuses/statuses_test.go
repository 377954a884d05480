package statuses

import (
	"math"
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestOf: what says failure is told, whatever type it has. Only negative integers and those of 32 bits were.
func TestOf(t *testing.T) {
	double := func(f float64) Returned { return Returned{Float: math.Float64bits(f)} }
	single := func(f float32) Returned { return Returned{Float: 0xabcd<<48 | uint64(math.Float32bits(f))} }
	minus := Returned{Integer: math.MaxUint64}
	for _, c := range []struct {
		of          invocations.ElementType
		pointer     bool
		left        Returned
		value, note string // the begin of a note
	}{
		{invocations.Int32, false, Returned{Integer: 0xffff_ffff_0000_0007}, "7", "returned 7"},
		{invocations.Int32, false, Returned{Integer: 0xffff_ffff_0000_0000}, "", ""},
		{invocations.Int64, false, Returned{Integer: 7}, "7", ""},
		{invocations.Int8, false, Returned{Integer: 0x1fd}, "-3", "returned -3: if a negative number is an error"},
		{invocations.Uint32, false, minus, "4294967295", "returned 4294967295, which is -1 without its sign: if that"},
		{invocations.Uint64, false, minus, "18446744073709551615", "returned 18446744073709551615, which is -1"},
		{invocations.Uint32, false, Returned{Integer: 4_000_000_000}, "", ""},
		{invocations.Uint64, false, Returned{}, "", ""},
		{invocations.Uint8, false, minus, "", ""}, // a pixel
		{invocations.Bool, false, Returned{}, "", ""},
		{invocations.Uint64, true, Returned{}, "NULL", "returned NULL: if that is an error"},
		{invocations.Uint64, true, Returned{Integer: 0x7fff_1234}, "", ""},
		{invocations.Float64, false, double(-1), "-1", "returned -1: if that is an error"},
		{invocations.Float64, false, double(-0.5), "", ""},
		{invocations.Float64, false, double(math.NaN()), "NaN", "returned NaN: arithmetic"},
		{invocations.Float64, false, double(math.Inf(-1)), "-Inf", "returned -Inf: arithmetic"},
		{invocations.Float32, false, single(-1), "-1", "returned -1: if that"},
		{invocations.Float32, false, single(3), "", ""},
		{"", false, minus, "", ""},
	} {
		value, note := Of(c.of, c.pointer, c.left)
		if value != c.value || !strings.HasPrefix(note, c.note) || (note == "") != (c.note == "") {
			t.Errorf("%s, pointer %t, %x: %q, %q", c.of, c.pointer, c.left, value, note)
		}
	}
}
