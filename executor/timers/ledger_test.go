package timers

import (
	"math"
	"testing"
	"time"
)

// TestLedger checks which entries into the loop count as short, and what is then missing of the round.
func TestLedger(t *testing.T) {
	for _, c := range []struct {
		name         string
		took, timed  float64 // ns, of an entry
		untimed      float64
		batches      int
		short        bool
		leastMissing float64
	}{
		{"both clocks agree", 101_000, 100_000, 0, 1, false, 0},
		{"entering takes its time", 4_000, 20, 0, 1, false, 0},
		{"a call before the batch", 140_000, 100_000, 0.1, 1, false, 0},
		{"calls before single ones", 300_000, 100_000, 1, 1, false, 0},
		{"a group of short batches", 90_000, 30_000, 0, 20, false, 0},
		{"the loop tells half", 201_000, 100_000, 0, 1, true, 90_000},
		{"the loop tells 0.82", 122_000, 100_000, 0, 1, true, 15_000},
		{"0.82, and one call in a hundred before", 123_000, 100_000, 0.01, 1, true, 10_000},
	} {
		var l Ledger
		l.begin(time.Unix(100, 0), undisturbed)
		for range 20 {
			l.add(c.took, c.timed, c.untimed, c.batches)
		}
		if got := l.ShortShare(); (got > 0) != c.short || got != math.Round(got) {
			t.Errorf("%s: %v of the entries are short", c.name, got)
		}
		if missing := l.missingNS / 20; (missing > 0) != c.short || missing < c.leastMissing {
			t.Errorf("%s: %v ns are missing of an entry", c.name, missing)
		}
		if got := l.NS(time.Unix(101, 0)); got != 1e9-l.missingNS {
			t.Errorf("%s: %v ns of a second are accounted for", c.name, got)
		}
	}
	var few Ledger
	few.begin(time.Time{}, undisturbed)
	for range fewestEntries - 1 {
		few.add(200_000, 100_000, 0, 1)
	}
	if few.ShortShare() != 0 {
		t.Error("few entries tell nothing: work of others may have come between the clocks")
	}
	var none *Ledger
	none.add(1, 2, 3, 4)
	if none.NS(time.Now()) != 0 || none.ShortShare() != 0 {
		t.Error("nothing was measured")
	}
}

func undisturbed() int64 { return 7 }

// TestLedgerUnderLoad checks that entries from which the system has taken the CPU, as in a long untimed call before the
// batch, do not make a loop's clock wrong, and that the others still do.
func TestLedgerUnderLoad(t *testing.T) {
	switches := int64(7)
	var l Ledger
	l.begin(time.Time{}, func() int64 { return switches })
	for range 20 {
		switches++
		l.add(40e6, 2.3e6, 1, 1)
	}
	if l.missingNS != 0 {
		t.Errorf("%v ns are missing, and others had the CPU", l.missingNS)
	}
	for range fewestEntries {
		l.add(4.6e6, 2.3e6, 1, 1)
	}
	if got := l.ShortShare(); got != 0 {
		t.Errorf("%v of the entries are short, and all of these were interrupted", got)
	}
	for range 3 * fewestEntries {
		l.add(40e6, 2.3e6, 1, 1)
	}
	if got := l.ShortShare(); got != 0.75 {
		t.Errorf("%v of the entries are short", got)
	}
}
