package spelling

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"matmul", "matmul_naive", "artifact", "mm4_ff9c4c42480cbf03"}
	for word, want := range map[string]string{
		"matmull": "matmul", "matnul_naive": "matmul_naive", "Artefact": "artifact", "mm4": "mm4_ff9c4c42480cbf03",
		"softmax": "", "": "", "x": "", "matmul": "matmul",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// A word that lacks letters is nearer than one with other letters.
func TestNearestOfShortWords(t *testing.T) {
	formats := []string{"text", "csv", "ndjson", "gbench", "benchfmt", "bmf"}
	for word, want := range map[string]string{
		"jsn": "ndjson", "json": "ndjson", "cvs": "csv", "tex": "text", "txt": "text", "bench": "gbench", "bfm": "bmf",
		"xml": "", "yaml": "",
	} {
		if got := Nearest(word, formats); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	nine := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for _, test := range []struct {
		word  string
		known []string
		want  string
	}{
		{"matnul", []string{"softmax", "matmul"}, `; did you mean "matmul"?`},
		{"zzzz", []string{"softmax", "matmul"}, "; there are softmax, matmul"},
		{"zzzz", nine, "; there are a, b, c, d, e, f, g, h, …"},
		{"zzzz", nil, ""},
	} {
		if got := SuggestOrList(test.word, test.known); got != test.want {
			t.Errorf("SuggestOrList(%q, %q) = %q, want %q", test.word, test.known, got, test.want)
		}
	}
	if got := Suggest("zzzz", nine); got != "" {
		t.Errorf("Suggest of nothing near = %q", got)
	}
}
