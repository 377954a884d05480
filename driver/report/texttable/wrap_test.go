package texttable

import (
	"strings"
	"testing"
)

// TestWrap breaks a text at words.
func TestWrap(t *testing.T) {
	got := strings.Join(Wrap("one two  three aVeryLongWordIndeed four", 9), "|")
	if want := "one two|three|aVeryLongWordIndeed|four"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
