package tracycsv

import "testing"

// TestAppendText: a field that could control a terminal does not, and one is quoted only if it must be.
func TestAppendText(t *testing.T) {
	f := newRowFormat(",")
	for s, want := range map[string]string{
		"plain µ\u00a0x": "plain µ\u00a0x", "\x1b[2J": "\ufffd[2J", "a\u009bb": "a\ufffdb", "\x7f\t": "\ufffd\t",
		"a,\x1b": "\"a,\ufffd\"", "a\nb": "\"a\nb\"", `say "x"`: `"say ""x"""`, "": "", "\xc2": "\xc2",
	} {
		if got := string(f.appendText(nil, s)); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
