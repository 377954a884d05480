package figures

import "testing"

// Times have four significant digits in a unit that suits them, and no exponent.
func TestTime(t *testing.T) {
	tests := []struct {
		ns   float64
		want string
	}{
		{0, "0 ns"}, {0.001234, "0.001234 ns"}, {3.2, "3.200 ns"}, {26.714, "26.71 ns"}, {999.94, "999.9 ns"},
		{999.96, "1.000 µs"}, {1234, "1.234 µs"},
		{9.9996e6, "10.00 ms"}, {1.5e9, "1.500 s"}, {2.718e5, "271.8 µs"}, {123456e9, "123456 s"}, {-2.5, "-2.500 ns"},
	}
	for _, test := range tests {
		if got := Time(test.ns); got != test.want {
			t.Errorf("%v ns: %q, want %q", test.ns, got, test.want)
		}
	}
}
