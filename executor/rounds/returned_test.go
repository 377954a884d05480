package rounds

import (
	"math"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

// registers are what a call has left in the registers of results.
type registers struct{ integer, float uint64 }

func (r registers) Returned() (integer, float uint64) { return r.integer, r.float }

// TestStatus: what says failure is told, whatever type it has. Only negative integers and those of 32 bits were.
func TestStatus(t *testing.T) {
	double := func(f float64) registers { return registers{float: math.Float64bits(f)} }
	single := func(f float32) registers { return registers{float: 0xabcd<<48 | uint64(math.Float32bits(f))} }
	minus := registers{integer: math.MaxUint64}
	for _, c := range []struct {
		of          invocations.ElementType
		pointer     bool
		left        registers
		value, note string // the begin of a note
	}{
		{invocations.Int32, false, registers{integer: 0xffff_ffff_0000_0007}, "7", "returned 7"},
		{invocations.Int32, false, registers{integer: 0xffff_ffff_0000_0000}, "", ""},
		{invocations.Int64, false, registers{integer: 7}, "7", ""},
		{invocations.Int8, false, registers{integer: 0x1fd}, "-3", "returned -3: if a negative number is an error"},
		{invocations.Uint32, false, minus, "4294967295", "returned 4294967295, which is -1 without its sign: if that"},
		{invocations.Uint64, false, minus, "18446744073709551615", "returned 18446744073709551615, which is -1"},
		{invocations.Uint32, false, registers{integer: 4_000_000_000}, "", ""},
		{invocations.Uint64, false, registers{}, "", ""},
		{invocations.Uint8, false, minus, "", ""}, // a pixel
		{invocations.Bool, false, registers{}, "", ""},
		{invocations.Uint64, true, registers{}, "NULL", "returned NULL: if that is an error"},
		{invocations.Uint64, true, registers{integer: 0x7fff_1234}, "", ""},
		{invocations.Float64, false, double(-1), "-1", "returned -1: if that is an error"},
		{invocations.Float64, false, double(-0.5), "", ""},
		{invocations.Float64, false, double(math.NaN()), "NaN", "returned NaN: arithmetic"},
		{invocations.Float64, false, double(math.Inf(-1)), "-Inf", "returned -Inf: arithmetic"},
		{invocations.Float32, false, single(-1), "-1", "returned -1: if that"},
		{invocations.Float32, false, single(3), "", ""},
		{"", false, minus, "", ""},
	} {
		work := &executor.Native{Returns: c.of, ReturnsPointer: c.pointer}
		value, note := statusOf(work, c.left)
		if value != c.value || !strings.HasPrefix(note, c.note) || (note == "") != (c.note == "") {
			t.Errorf("%s, pointer %t, %x: %q, %q", c.of, c.pointer, c.left, value, note)
		}
	}
}
