package halidebench

import "testing"

func TestSameTarget(t *testing.T) {
	const full = "x86-64-linux-avx-avx2-fma-sse41"
	for _, c := range []struct {
		asked, full string
		want        bool
	}{
		{"", full, true}, {"host", full, true}, {"host-avx2", full, true}, {"host-avx512", full, false},
		{full, full, true},
		{"x86-64-linux-sse41-fma-avx2-avx", full, true}, {"x86-64-linux", full, false}, {"arm-64-linux", full, false},
		{"", "", true}, {"host", "", true}, {"x86-64-linux", "", false},
	} {
		if got := sameTarget(c.asked, c.full); got != c.want {
			t.Errorf("%q of %q: %t", c.asked, c.full, got)
		}
	}
}
