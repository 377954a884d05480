package foreign

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLineAndText(t *testing.T) {
	for _, c := range []struct{ s, line, text string }{
		{"gemm_8x8 µ", "gemm_8x8 µ", "gemm_8x8 µ"},
		{"\x1b[2Jgone", "\ufffd[2Jgone", "\ufffd[2Jgone"},
		{"a\nb\tc", "a b c", "a\nb\tc"},
		{"a\rb\u2028c", "a b c", "a b c"},
		{"\u202egnp.exe", "\ufffdgnp.exe", "\ufffdgnp.exe"},
		{"\u009b31m", "\ufffd31m", "\ufffd31m"},
		{"\xff\x00", "\ufffd\ufffd", "\ufffd\ufffd"},
		{"", "", ""},
	} {
		if got := Line(c.s); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.s, got, c.line)
		}
		if got := Text(c.s); got != c.text {
			t.Errorf("Text(%q) = %q, want %q", c.s, got, c.text)
		}
	}
}

func TestCell(t *testing.T) {
	for s, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+1": "'+1", "-x": "'-x", "@f": "'@f", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"f": "f", "": "", "a=b": "a=b", "'=": "''=", "''+": "'''+", "'f": "'f", "'": "'",
	} {
		if got := Cell(s); got != want {
			t.Errorf("Cell(%q) = %q, want %q", s, got, want)
		}
		if got := Uncell(want); got != s {
			t.Errorf("Uncell(%q) = %q, want %q", want, got, s)
		}
	}
}

// No cell controls the terminal that it is shown on.
func TestControls(t *testing.T) {
	for s, want := range map[string]string{
		"\x1b]0;title\x07": "\ufffd]0;title\ufffd", "\u009b31m": "\ufffd31m", "\u0085": "\ufffd", "\x7f": "\ufffd",
		"\xff": "\ufffd", "\u202e": "\ufffd", "a\r\n\tb": "a\r\n\tb", "µ\u00a0x": "µ\u00a0x", "": "",
	} {
		if got := Controls(s); got != want {
			t.Errorf("Controls(%q) = %q, want %q", s, got, want)
		}
		if got := Cell("x" + s); got != "x"+want {
			t.Errorf("Cell(%q) = %q", "x"+s, got)
		}
	}
}

func TestValue(t *testing.T) {
	for s, want := range map[string]string{
		"-1.5e3": "-1.5e3", "+7": "+7", "-": "'-", "-1+2": "'-1+2", "=1": "'=1", "N/A": "N/A", "": "",
	} {
		if got := Value(s); got != want {
			t.Errorf("Value(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestRow(t *testing.T) {
	type word string
	type inner struct{ Text string }
	type row struct {
		inner
		Name   string
		Word   word
		Number string
		Count  int
	}
	got := Row(row{inner{"=1+1"}, "@f", "+x", "-3", -4})
	if want := (row{inner{"'=1+1"}, "'@f", "'+x", "-3", -4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func FuzzCell(f *testing.F) {
	f.Add("'=1")
	f.Fuzz(func(t *testing.T, s string) {
		cell := Cell(s)
		if Uncell(cell) != Controls(s) || strings.ContainsRune(cell, 0x1b) || cell != "" && strings.ContainsRune(cellStarts, rune(cell[0])) {
			t.Errorf("%q: cell %q", s, cell)
		}
	})
}

func FuzzLine(f *testing.F) {
	f.Add("\x1b]0;title\x07 \u202e\n")
	f.Fuzz(func(t *testing.T, s string) {
		line := Line(s)
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) || !utf8.ValidString(line) {
			t.Errorf("%q", line)
		}
		if Line(line) != line || Text(line) != line {
			t.Errorf("%q changes again", line)
		}
	})
}

// A text that is too long keeps both ends.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abcdefghij", 10, "abcdefghij"}, {"abcdefghij", 7, "abc…hij"}, {"äöüäöüäöüä", 10, "äöüäöüäöüä"}, {"abcdefghij", 4, "a…ij"}} {
		if got := Shorten(c.text, c.width); got != c.want {
			t.Errorf("%s in %d: %s, want %s", c.text, c.width, got, c.want)
		}
	}
}
