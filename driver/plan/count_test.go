package plan

import "testing"

func TestDigits(t *testing.T) {
	for text, want := range map[string]string{
		"4k": "4096", "4K": "4096", "4Ki": "4096", "2M": "2097152", "1Gi": "1073741824", "0k": "0",
		"4096": "4096", "k": "k", "-4k": "-4k", "1.5k": "1.5k", "9223372036854775807k": "9223372036854775807k", "": "", "4kB": "4kB",
	} {
		if got := digits(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
