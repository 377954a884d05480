package dimensions

import (
	"slices"
	"strings"
	"testing"
)

// FuzzSizes: sizes that are accepted are words of a name and a positive number, each name once.
func FuzzSizes(f *testing.F) {
	for _, seed := range []string{"", "batch=1", "b=2 a=3", "a=1 a=2", "=1", "a=", "a=-1", "x.0=4 a=b=2", "seq len=3 b=1", "a=-0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := Sizes(text)
		if err != nil {
			return
		}
		if !slices.IsSorted(words) || len(strings.Fields(strings.Join(words, " "))) != len(strings.Fields(text)) {
			t.Errorf("%q: %q", text, words)
		}
		names := map[string]bool{}
		for _, word := range words {
			at := strings.LastIndexByte(word, '=')
			if at < 1 || names[word[:at]] || strings.Trim(word[at+1:], "+0123456789") != "" {
				t.Errorf("%q: %q", text, word)
			}
			names[word[:at]] = true
		}
	})
}
