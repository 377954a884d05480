package combine

import (
	"math/rand/v2"
	"strings"
	"testing"

	"zonemark/invocations"
)

// arraysAt returns launches whose arrays begin at places that a generator draws, and whose time depends on them.
func arraysAt(draw *rand.Rand, launches, arrays int, ns func(offsets []int64) float64) []placed {
	list := make([]placed, launches)
	for i := range list {
		for range arrays {
			list[i].offsets = append(list[i].offsets, draw.Int64N(64)*64)
		}
		list[i].ns = ns(list[i].offsets)
	}
	return list
}

// behind returns how far an array begins behind another one within a page.
func behind(offsets []int64, of, to int) int64 { return (offsets[of] - offsets[to] + 4096) % 4096 }

func TestEffectOfPlacement(t *testing.T) {
	for _, c := range []struct {
		name             string
		launches, arrays int
		slow             float64 // ratio
		of, to           int
		within           int64 // the slow launches; 0: none
		found            bool
	}{
		{"y behind x", 40, 2, 1.2, 1, 0, 512, true},
		{"x behind y", 40, 2, 1.2, 0, 1, 1024, true},
		{"one pair of four arrays", 60, 4, 1.3, 2, 1, 1024, true},
		{"too few launches", 6, 2, 1.2, 1, 0, 1024, false},
		{"too small an effect", 40, 2, 1.015, 1, 0, 1024, false},
		{"no effect", 40, 2, 1, 1, 0, 0, false},
		{"one array", 40, 1, 1, 0, 0, 0, false},
		{"no array", 40, 0, 1, 0, 0, 0, false},
		{"no launch", 0, 2, 1, 0, 0, 0, false},
	} {
		draw := rand.New(rand.NewPCG(1, 1))
		launches := arraysAt(draw, c.launches, c.arrays, func(at []int64) float64 {
			ns := 300 * (1 + 0.002*draw.Float64())
			if c.within > 0 && behind(at, c.of, c.to) < c.within {
				ns *= c.slow
			}
			return ns
		})
		e, found := effectOfPlacement(launches)
		if found != c.found {
			t.Errorf("%s: found %t: %+v", c.name, found, e)
			continue
		}
		if found && (e.of != c.of || e.to != c.to || e.within != c.within || e.near+e.far != c.launches ||
			e.ratio() < c.slow-0.01 || e.ratio() > c.slow+0.01) {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

// Launches that differ by something else than places hardly ever get a note, however they are distributed.
func TestNoEffectOfPlacement(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 3))
	const runs = 2000
	for name, ns := range map[string]func([]int64) float64{
		"normal":      func([]int64) float64 { return 100 + 10*draw.NormFloat64() },
		"two classes": func([]int64) float64 { return []float64{100, 100.1, 120, 120.1}[draw.IntN(4)] },
		"outliers":    func([]int64) float64 { return 100 + max(0, 30*draw.ExpFloat64()-60) },
	} {
		alarms := 0
		for run := range runs {
			if _, found := effectOfPlacement(arraysAt(draw, 5+run%30, 2+run%4, ns)); found {
				alarms++
			}
		}
		if alarms > runs/100 {
			t.Errorf("%s: %d of %d runs without an effect got a note", name, alarms, runs)
		}
	}
}

func TestPlacementNote(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 5))
	var kept []invocations.Result
	var medians []float64
	for range 30 {
		x, y := draw.Int64N(64)*64, draw.Int64N(64)*64
		kept = append(kept, invocations.Result{
			OfArguments: invocations.OfArguments{
				Places: []invocations.ArrayPlace{{Name: "x", Offset: x}, {Name: "y", Offset: y}}},
		})
		ns := 300 + draw.Float64()
		if behind([]int64{x, y}, 1, 0) < 512 {
			ns *= 1.2
		}
		medians = append(medians, ns)
	}
	const want = "its time depends on how far y begins behind x: 36"
	if got := placementNote(kept, medians, ""); !strings.HasPrefix(got, want) || !strings.Contains(got, "less than 512 bytes") ||
		!strings.HasSuffix(got, "a factor of 1.2") {
		t.Errorf("note %q, want %q…", got, want)
	}
	if got := placementNote(kept, medians[1:], ""); got != "" {
		t.Errorf("launches without a median: %q", got)
	}
	if arrays := arraysOf(kept); len(arrays) != 2 || arrays[1].Name != "y" || arrays[1].Offsets[29] != kept[29].Places[1].Offset {
		t.Errorf("arrays %v", arrays)
	}
	kept[3].Places = kept[3].Places[:1]
	if got := placementNote(kept, medians, ""); got != "" || arraysOf(kept) != nil {
		t.Errorf("launches with other arrays: %q, %v", got, arraysOf(kept))
	}
}

func TestJoinArrays(t *testing.T) {
	a := []invocations.ArrayOffsets{{Name: "x", Offsets: []int64{1, 2}}}
	if got := joinArrays(a, []invocations.ArrayOffsets{{Name: "x", Offsets: []int64{3}}}); len(got) != 1 ||
		len(got[0].Offsets) != 3 || len(a[0].Offsets) != 2 {
		t.Errorf("joined %v", got)
	}
	if got := joinArrays(a, nil); got != nil {
		t.Errorf("joined with none: %v", got)
	}
}
