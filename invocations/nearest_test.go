package invocations

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
