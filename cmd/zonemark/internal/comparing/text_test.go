package comparing

import (
	"testing"

	"zonemark/driver/compare"
)

// What became worse is shown first, then what became better, and then what nobody knows.
func TestChangesComeFirst(t *testing.T) {
	c := &comparison{rows: []compare.Row{
		{Verdict: compare.Same}, {Verdict: compare.Undecided}, {Verdict: compare.Faster}, {Verdict: compare.Failed},
		{Verdict: compare.Slower},
	}}
	rows, _ := c.shown(true)
	want := []compare.Verdict{compare.Slower, compare.Faster, compare.Undecided, compare.Failed, compare.Same}
	for i, r := range rows {
		if r.Verdict != want[i] {
			t.Errorf("row %d is %s, want %s", i, r.Verdict, want[i])
		}
	}
	if got := c.summary(); got != "1 slower, 1 faster, 1 undecided, 1 failed, 1 same" {
		t.Error(got)
	}
}
