package combine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
)

// scaling are the times at the reference clock, in nanoseconds, of launches of a function that scales 4,096 numbers, on an
// AMD Zen 4: 1.114 µs, 1.141 and 1.170 by the way to call, with exceptions. Its row was 1.141 µs ± 0.98 %, clean; a loop
// in C takes 1.117.
var scaling = []float64{
	1140.5, 1170.0, 1140.7, 1113.1, 1140.5, 1170.0, 1141.1, 1116.2, 1141.2, 1111.9, 1141.0, 1169.6, 1141.7, 1169.2, 1140.7,
	1113.2, 1114.1, 1170.1, 1130.5, 1113.1, 1142.5, 1170.1, 1141.0, 1113.3, 1127.7, 1142.5, 1142.2, 1170.0, 1140.6, 1170.1,
	1140.5, 1113.1, 1141.2, 1169.6, 1140.8, 1113.1, 1141.2, 1112.8, 1141.0, 1113.1, 1146.8, 1170.1, 1141.5, 1113.0, 1140.8,
}

// taking returns quiet launches with these medians in nanoseconds.
func taking(ns ...float64) (all []invocations.Result) {
	for i := range ns {
		all = append(all, numbered(i, ns[i]))
	}
	return all
}

// among returns so many launches of a microsecond with a small scatter, of which the first ones take other times.
func among(launches int, ns ...float64) []invocations.Result {
	all := inWays(launches, byWay{1, 1, 1, 1})
	copy(all, taking(ns...))
	return all
}

// TestOddLaunches: a program is like one launch of a row. If an eighth of them differ from the figure by 1 %, the interval
// reaches these. Fewer may be accidents.
func TestOddLaunches(t *testing.T) {
	const near = 0.002
	for _, c := range []struct {
		name      string
		launches  []invocations.Result
		low, high float64 // that the interval reaches, as multiples of the figure; 1: none
		note      string
	}{
		{"a way to call with exceptions", taking(scaling...), 0.976, 1.025, "an eighth of them or more takes 2.4 % less"},
		{"two of eight", among(8, 1015, 1015), 1, 1.015, "takes 1.5 % more"},
		{"one of eight", among(8, 1015), 1, 1, ""},
		{"two of sixteen, fast", among(16, 985, 985), 0.985, 1, "takes 1.5 % less"},
		{"two of seventeen", among(17, 985, 985), 1, 1, ""},
		{"one fast, one slow", among(16, 985, 1015), 1, 1, ""},
		{"by less than is said", among(16, 992, 991, 992, 1008, 1008, 1009), 0.992, 1.008, ""},
		{"by two amounts", among(16, 1003, 1003, 1004, 1004, 1015, 1015), 1, 1.015, "takes 1.5 % more"},
		{"by less than anything shows", among(16, 998, 998, 1002, 1002), 1, 1, ""},
	} {
		out := merged(c.launches)
		at := out.Spread.Reference
		if !at.Known() {
			t.Fatalf("%s: no time at the reference clock", c.name)
		}
		low, high := at.Low/at.Value, at.High/at.Value
		if c.low < 1 && math.Abs(low-c.low) > near || c.high > 1 && math.Abs(high-c.high) > near || c.low == 1 && low < 0.99 ||
			c.high == 1 && high > 1.01 {
			t.Errorf("%s: %+v", c.name, at)
		}
		notes := strings.Join(out.Notes, "; ")
		if slices.Contains(out.Verdicts, invocations.NotConverged) != (c.note != "") || !strings.Contains(notes, c.note) ||
			c.note == "" && strings.Contains(notes, "an eighth") {
			t.Errorf("%s: %v, notes %q", c.name, out.Verdicts, notes)
		}
	}
}

// Few launches of which some are odd are followed by others: they may be so by chance. A lone one may be the first of some.
func TestOddLaunchesTakeFurtherOnes(t *testing.T) {
	for _, c := range []struct {
		name     string
		launches []invocations.Result
		enough   bool
	}{
		{"two of eight", among(8, 1011, 1011), false},
		{"two of fifteen", among(15, 1011, 1011), false},
		{"two of sixteen", among(16, 1011, 1011), true},
		{"one of nine", among(9, 1011), false},
		{"one of ten", among(10, 1011), true},
		{"one of eight, by 0.2 %", among(8, 1002), true},
		{"one of eight, which is hardly alone", among(8, 1011, 997), true},
		{"two of eight, by 0.6 %", among(8, 1006, 1006), false},
		{"two of eight, by 0.4 %", among(8, 1004, 1004), true},
		{"four of eight, by 0.9 %", among(8, 1009, 1009, 1009, 1009), false},
		{"kinds are known", inWays(12, byWay{1.011, 0.989, 1.011, 0.989}), true},
	} {
		l := Launches{Results: combinetest.Ended(c.launches...)}
		if got := l.Enough(0.01, nil); got != c.enough {
			t.Errorf("%s: enough %t", c.name, got)
		}
	}
}
