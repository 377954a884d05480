package report

import (
	"math"
	"testing"
)

// Numbers of variables and axes have no exponents, and whole ones are exact.
func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 8: "8", -3: "-3", 1048576: "1048576", 123456789: "123456789", 0.5: "0.5", 0.6000000000000001: "0.6", 1234.5678: "1234.57",
		271812.5: "271812", 0.00012: "0.00012", -0.25: "-0.25", 1e20: "1e+20", 1e-9: "1e-09", math.Inf(1): "+Inf",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// Times at axes have their units, and no zeros at the end.
func TestShortTime(t *testing.T) {
	for ns, want := range map[float64]string{0: "0 ns", 1: "1 ns", 1500: "1.5 µs", 100: "100 ns", 271800: "271.8 µs", 2e9: "2 s"} {
		if got := ShortTime(ns); got != want {
			t.Errorf("%v: %s, want %s", ns, got, want)
		}
	}
}
