package reportpage

import (
	"fmt"
	"strings"
	"testing"

	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"
)

// raced returns a run of a group, of which variants were dropped after so many launches; 0: it was not dropped.
func raced(launches ...int) report.Run {
	var records []invocations.Record
	for i, n := range launches {
		inv := invocations.Invocation{ID: fmt.Sprintf("%016x", i+1), Name: fmt.Sprintf("v%d", i), Group: "g"}
		res := invocations.Result{Status: invocations.OK,
			Batches: invocations.Batches{SamplesNS: []float64{1000, 1001, 1002}}}
		res.Summary = stats.Summarize(res.SamplesNS, nil)
		if n != 0 {
			res.Drop(invocations.Dropped{Launches: n, Best: "v0", Ratio: 2, Low: 1.5, High: 2.5})
		}
		records = append(records, invocations.NewRecord(inv, res))
	}
	list := invocations.RecordsOf(records...)
	return report.Run{Complete: true, Records: list, Rankings: groupsOf(list)}
}

// TestRaceOf: a page shows how many variants each launch of a race had. A number of launches that no race has draws
// nothing.
func TestRaceOf(t *testing.T) {
	for _, c := range []struct {
		launches []int
		drawn    bool
		points   int
	}{
		{[]int{0, 0, 0}, false, 0},
		{[]int{0, 1, 1, 3, 2}, true, 4},
		{[]int{0, 1 << 40, -1}, false, 0},
		{[]int{0, 1 << 40, 1}, true, 2},
	} {
		run := raced(c.launches...)
		var rows []*invocations.Record
		for _, row := range run.Rankings[0].Rows {
			rows = append(rows, recordstest.At(t, run.Records, row.Variant))
		}
		d := raceOf(rows)
		if (d != nil) != c.drawn {
			t.Errorf("%v: drawn: %t", c.launches, d != nil)
			continue
		}
		page := written(t, Source{Run: run})
		if got := strings.Contains(page, "The race"); got != c.drawn {
			t.Errorf("%v: the page has a race: %t", c.launches, got)
		}
		if d == nil {
			continue
		}
		if points := strings.Count(d.Lines[0].Path, "L") + 1; points != c.points {
			t.Errorf("%v: %d points of %q, want %d", c.launches, points, d.Lines[0].Path, c.points)
		}
	}
}

// That a race has dropped a variant is no flaw of its measurement.
func TestDroppedIsNoFlaw(t *testing.T) {
	page := written(t, Source{Run: raced(0, 1, 3)})
	for text, want := range map[string]bool{`class="verdict warn">dropped`: false, `class="verdict">dropped after 3`: true,
		`class="verdict">slower`: true} {
		if strings.Contains(page, text) != want {
			t.Errorf("%s: want %t", text, want)
		}
	}
}

// The card of a race counts those that it has dropped apart from clean results and flawed ones.
func TestCardOfRace(t *testing.T) {
	clean, flawed := raced(0, 1, 3), raced(0, 0, 1)
	recordstest.At(t, clean.Records, 0).Verdicts = []invocations.Verdict{invocations.Clean}
	recordstest.At(t, flawed.Records, 0).Verdicts = []invocations.Verdict{invocations.Contended}
	recordstest.At(t, flawed.Records, 1).Verdicts = []invocations.Verdict{invocations.Contended}
	for want, run := range map[string]report.Run{
		"3 invocations: 3 ok; 1 clean, 2 dropped by a race as slower<":      clean,
		"3 invocations: 3 ok; 1 dropped by a race as slower, 2 with flaws<": flawed,
	} {
		if card := cardOf(written(t, Source{Run: run})); !strings.Contains(card, want) {
			t.Errorf("no %q in %s", want, card)
		}
	}
}

// The card names no fastest variant if one takes too little time to be measured.
func TestCardOfTooShort(t *testing.T) {
	run := raced(0, 0)
	short := recordstest.At(t, run.Records, 0)
	none := -0.01
	short.MedianNS, short.SamplesNS = &none, []float64{none, none, none}
	run.Rankings = groupsOf(run.Records)
	card := cardOf(written(t, Source{Run: run}))
	if !strings.Contains(card, "v0 takes no time that can be measured, and may be the best") || strings.Contains(card, "v1") {
		t.Error(card)
	}
}
