package trace

import "testing"

func TestValue(t *testing.T) {
	for _, c := range []struct {
		raw, text string
		value     uint64
		ok        bool
	}{
		{"", "", 0, false},
		{"inv=7", "inv=7", 0, false},
		{"42 [0x2a]", "", 42, true},
		{"inv=7\n42 [0x2a]", "inv=7", 42, true},
		{"a\nb\n18446744073709551615 [0xffffffffffffffff]", "a\nb", 18446744073709551615, true},
		{"42 [0x2b]", "42 [0x2b]", 0, false},
		{"42 [0x2a] ", "42 [0x2a] ", 0, false},
		{"x\n-1 [0x1]", "x\n-1 [0x1]", 0, false},
	} {
		z := Zone{Text: c.raw}
		if text, value, ok := z.Value(); text != c.text || value != c.value || ok != c.ok {
			t.Errorf("%q: %q, %d, %t", c.raw, text, value, ok)
		}
	}
}
