package traceverbs

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"testing"

	"zonemark/invocations/foreign"
)

// TestCellTexts: a cell is what a csv.Writer makes of the text, also of one that was forgotten in the meantime.
func TestCellTexts(t *testing.T) {
	odd := []string{"", "a", "a,b", `a"b`, `"`, "a\nb", "a\r\nb", " a", "\ta", `\.`, "=1", "'=", "-7", "+x", "\x1b[2J", "\xff",
		"ü", "7.5", ",", "a b", "_x", `a\b`, "/f.c", "a\x7f", "a-b+c", ",\n", "1,5"}
	var cells cellTexts
	for round := range 2 {
		for _, text := range odd {
			var want bytes.Buffer
			w := csv.NewWriter(&want)
			if err := w.Write([]string{"x", foreign.Value(text), "y"}); err != nil {
				t.Fatal(err)
			}
			w.Flush()
			if got := "x," + cells.of(text) + ",y\n"; got != want.String() {
				t.Errorf("round %d: %q, want %q", round, got, want.String())
			}
		}
		for i := range 2 * mostCellTexts {
			cells.of(fmt.Sprint("text, ", i))
		}
		if n := len(cells.known); n > mostCellTexts {
			t.Errorf("%d texts are remembered", n)
		}
	}
}
