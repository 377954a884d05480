package cli

import (
	"bytes"
	"testing"
)

// TestDraw: a progress line keeps both ends, and nothing of it controls the terminal.
func TestDraw(t *testing.T) {
	var b bytes.Buffer
	line := &ProgressLine{w: &b, width: 21}
	line.Draw("[1/2] a/long/name\x1b[31m; 9 s left")
	line.Clear()
	if got, want := b.String(), "\r\x1b[K[1/2] a/l…; 9 s left\r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
