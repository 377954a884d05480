package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"zonemark/invocations/testsize"
)

// onBusyMachine returns a variant of 12 launches on a machine whose neighbours take most of the time: a launch is quiet
// with a chance of a third, and the others take up to sixty per cent longer. The clock is another one in each launch.
func onBusyMachine(r *rand.Rand, ns float64) Variant {
	v, quiet := Variant{Half: 0.001}, 0
	for range 12 {
		at := ns * (1 + 0.002*r.NormFloat64())
		if r.Float64() < 1.0/3 {
			v.PairedNS, quiet = append(v.PairedNS, at), quiet+1
		} else {
			at *= 1.1 + 0.5*r.Float64()
			v.PairedNS = append(v.PairedNS, math.NaN())
		}
		v.AllNS = append(v.AllNS, at)
	}
	if quiet < 3 {
		v.PairedNS = nil
	}
	v.SamplesNS = v.AllNS
	return v
}

// TestRankQuiet: on a busy machine the quiet launches of each variant show a difference of two per cent, which all
// launches hide; and equal variants are called slower no more often than alpha says.
func TestRankQuiet(t *testing.T) {
	r, n := rand.New(rand.NewPCG(3, 7)), testsize.Of(100, 1000)
	for _, c := range []struct {
		name     string
		ratio    float64
		oneClock bool
		least    int // of n, called slower
		most     int
	}{
		{"2 % slower", 1.02, true, testsize.AtLeast(n, 0.6), n},
		{"2 % slower, by all launches", 1.02, false, 0, testsize.AtMost(n, 0.2)},
		{"equal", 1, true, 0, testsize.AtMost(n, 0.05)},
		{"equal, by all launches", 1, false, 0, testsize.AtMost(n, 0.05)},
	} {
		slower, wrong := 0, 0
		for range n {
			variants := []Variant{onBusyMachine(r, 100), onBusyMachine(r, 100*c.ratio)}
			for _, row := range Rank(variants, RankOptions{AtOneClock: c.oneClock}).Rows {
				if row.Standing == Slower {
					slower++
					if row.Variant == 0 {
						wrong++
					}
				}
			}
		}
		t.Logf("%s: %d of %d called slower", c.name, slower, n)
		if slower < c.least || slower > c.most || c.ratio > 1 && wrong > testsize.AtMost(n, 0.025) {
			t.Errorf("want %d to %d; %d are wrong", c.least, c.most, wrong)
		}
	}
}

// TestRankQuietOnly: a variant with quiet launches is not compared by these with one that has none, and all of the
// others are ranked as without it.
func TestRankQuietOnly(t *testing.T) {
	nan := math.NaN()
	quiet := func(name string, ns float64, at ...int) Variant {
		v := Variant{Name: name, Half: 0.001}
		for n := range 9 {
			took := ns * (1 + 0.0005*float64((n*5+len(name))%4))
			v.PairedNS, v.AllNS = append(v.PairedNS, nan), append(v.AllNS, 1.5*took)
			for _, one := range at {
				if n == one {
					v.PairedNS[n], v.AllNS[n] = took, took
				}
			}
		}
		v.SamplesNS = v.AllNS
		return v
	}
	a, b, busy := quiet("a", 100, 0, 1, 2), quiet("b", 104, 4, 5, 6), quiet("busy", 90)
	busy.PairedNS = nil
	o := RankOptions{AtOneClock: true}
	two := Rank([]Variant{b, a}, o)
	if two.Method != EachOwn || two.Disturbed != 0 || two.Rows[0].Name != "a" || two.Rows[1].Standing != Slower ||
		math.Abs(two.Rows[1].Ratio-1.04) > 0.002 {
		t.Errorf("%+v", two)
	}
	three := Rank([]Variant{b, busy, a}, o)
	if three.Rows[0].Name != "busy" || three.Disturbed != 2 {
		t.Errorf("the busy one is faster in each pair: %+v", three)
	}
	for i := range busy.AllNS {
		busy.AllNS[i] *= 1.5
	}
	if three = Rank([]Variant{b, busy, a}, o); three.Disturbed != 1 || fmt.Sprint(three.Rows[1]) != fmt.Sprint(Row{
		0, "b", two.Rows[1].MedianNS, two.Rows[1].Ratio, two.Rows[1].Low, two.Rows[1].High, two.Rows[1].P,
		two.Rows[1].Detectable, Slower}) || three.Rows[2].Name != "busy" {
		t.Errorf("%+v, want as in %+v", three, two)
	}
	// In a circle, the best is the one that another is the least faster than: b is faster than busy by 1 %, busy than a
	// by 10 %, and a than b by 4 %.
	for n := range a.AllNS {
		busy.AllNS[n] = 0.9 * a.AllNS[n]
		b.AllNS[n] = 0.99 * busy.AllNS[n]
	}
	for _, order := range [][]Variant{{a, b, busy}, {b, busy, a}, {busy, a, b}} {
		if r := Rank(order, o); r.Rows[0].Name != "busy" || math.Abs(r.Rows[1].Ratio-0.99) > 1e-9 {
			t.Errorf("a circle: %+v", r.Rows)
		}
	}
	// Launches of several runs are compared without pairs, if each has some.
	b, o.Unpaired = quiet("b", 104, 4, 5, 6), "several runs"
	if r := Rank([]Variant{b, a}, o); r.Method != EachOwn || r.Note != o.Unpaired || r.Rows[1].Standing != Slower {
		t.Errorf("%+v", r)
	}
	if r := Rank([]Variant{b, busy, a}, o); r.Method != MedianIntervals {
		t.Errorf("%+v", r)
	}
	if o.AtOneClock = false; Rank([]Variant{b, a}, o).Method != MedianIntervals {
		t.Error("launches at different clocks are compared without pairs")
	}
}
