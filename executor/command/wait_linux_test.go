package command

import (
	"testing"
	"time"
)

func TestParseSchedstat(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1234 5678 9\n": 5678, "0 0 0\n": 0, "": 0, "1 2": 0, "1 -2 3": 0, "1 x 3": 0, "1 2 3 4": 0,
		"1 99999999999999999999 3": 0,
	} {
		if got := parseSchedstat([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func FuzzParseSchedstat(f *testing.F) {
	f.Add([]byte("1234 5678 9\n"))
	f.Add([]byte("1 9223372036854775808 3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := parseSchedstat(text); got < 0 {
			t.Errorf("%q: %d", text, got)
		}
	})
}
