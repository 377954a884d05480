package columns

import "testing"

// Cells of digits alone are read without a detour over fractions, with the same result.
func TestShortNumber(t *testing.T) {
	for cell, want := range map[string]int64{"0": 0, "7": 7, "0012": 12, "999999999999999": 999999999999999} {
		if n, short := ShortNumber([]byte(cell)); n != want || !short {
			t.Errorf("%q: %d, %v", cell, n, short)
		}
	}
	for _, cell := range []string{"", "-1", "3.0", "1e3", "1234567890123456", "१", "nan", " 1"} {
		if n, short := ShortNumber([]byte(cell)); short {
			t.Errorf("%q is read as %d", cell, n)
		}
	}
}
