package compare

import (
	"fmt"
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Judge decides rows while they are measured in pairs of launches. Its method Decided is that of driver.Pairs.
type Judge struct {
	options Options
	rows    []judged
}

// judged is a row in progress.
type judged struct {
	Difference
	by        Figure
	seen      stats.Sequential
	id        string // of the old side
	pairs     int    // that count
	disturbed int    // pairs that count although they were disturbed
	// typical is the logarithm of the ratio of medians, whatever figure the row is compared by.
	typical float64
}

// measuredFloor takes the place of the usual floor: launches that take turns do not differ by the state of the machine.
const measuredFloor = 0.001

// NewJudge returns what decides a number of rows. A floor of 0 is 0.001.
func NewJudge(rows int, o Options) *Judge {
	if o.Floor == 0 {
		o.Floor = measuredFloor
	}
	o = o.withDefaults()
	j := &Judge{options: o, rows: make([]judged, rows)}
	for i := range j.rows {
		j.rows[i].P = 1
	}
	return j
}

// Decided looks at a row if it is time for that, and reports whether the row needs no more pairs.
func (j *Judge) Decided(row int, results [2][]invocations.Result, last bool) bool {
	r := &j.rows[row]
	results = inTurns(results)
	pairs := min(len(results[0]), len(results[1]))
	if r.seen.Over() || !last && !r.seen.Wanted(pairs) {
		return r.seen.Over()
	}
	r.id = results[0][0].ID
	if r.look(results, pairs, last); r.by == "" {
		return last
	}
	return r.verdict(j.differ()[row], j.options) != Undecided || r.seen.Over()
}

// inTurns leaves out the first pair if the others were measured in turns: it was not, and scatters more.
func inTurns(results [2][]invocations.Result) [2][]invocations.Result {
	if old := results[0]; len(old) < 2 || len(old[0].MergedSamples) > 0 || len(old[1].MergedSamples) == 0 {
		return results
	}
	return [2][]invocations.Result{results[0][1:], results[1][1:]}
}

// verdict decides the row. Faster batches that are the same do not make the others the same: if medians differ, who is
// slower now and then must not be called the same.
func (r *judged) verdict(differs bool, o Options) Verdict {
	v := decide(r.Difference, differs, o)
	if v == Same && r.by == ByFasterBatches && !(math.Abs(r.typical) <= math.Log1p(o.Margin)) {
		return Undecided
	}
	return v
}

// differ says of each row whether its p-value stands up to the correction for all rows. Those that were not looked at
// count as tests that found nothing.
func (j *Judge) differ() []bool {
	p := make([]float64, len(j.rows))
	for i := range j.rows {
		if p[i] = j.rows[i].P; math.IsNaN(p[i]) {
			p[i] = 1
		}
	}
	if j.options.FDR {
		return stats.BenjaminiHochberg(p, j.options.Alpha)
	}
	return stats.Holm(p, j.options.Alpha)
}

// look compares the pairs so far by what they agree on best: by cycles if the core bounds the function, by times if
// memory does, whose clock is another, by the faster batches if others are disturbed; with or without the pairs of
// which both launches were disturbed, or one. How well pairs agree says nothing of which side is faster, and disturbed
// launches are no more often on one side than on the other, so that this choice finds no difference where there is none.
// Cycles do not count if a function changes the clock itself, which is part of its time.
func (r *judged) look(results [2][]invocations.Result, pairs int, last bool) {
	var all, alike, quiet [2][]invocations.Result
	for i := range pairs {
		a, b := results[0][i], results[1][i]
		all[0], all[1] = append(all[0], a), append(all[1], b)
		if contended(&a) == contended(&b) {
			alike[0], alike[1] = append(alike[0], a), append(alike[1], b)
			if !contended(&a) {
				quiet[0], quiet[1] = append(quiet[0], a), append(quiet[1], b)
			}
		}
	}
	least, cycles := math.Inf(1), cyclesCompare(all)
	var best [][]float64
	seen := 0 // pairs of the sides before, which are among the next ones
	for _, sides := range [][2][]invocations.Result{quiet, alike, all} {
		if n := len(sides[0]); n < min(pairs, leastQuietPairs) || n == seen {
			continue
		}
		seen = len(sides[0])
		for _, by := range []Figure{ByCycles, ByReference, ByTime, ByFasterBatches, ByNeighbours} {
			if !cycles && (by == ByCycles || by == ByReference) {
				continue
			}
			d := ratios(sides, by)
			if float64(len(d)) < mostKnown*float64(len(sides[0])) {
				continue
			}
			if width := stats.PairsHalf(d); best == nil || width < least {
				best, least, r.by, r.disturbed = d, width, by, len(sides[0])-len(quiet[0])
			}
		}
	}
	if best != nil {
		r.pairs, r.Difference = len(best), r.seen.Look(best, last)
		r.typical = typical(ratios(all, ByTime))
	}
}

// cyclesCompare reports whether cycles of two sides, counted or by the clock, say which one takes longer.
func cyclesCompare(sides [2][]invocations.Result) bool {
	var clocks [2]stats.Clocks
	for k, launches := range sides {
		var ratios []float64
		for i := range launches {
			l := &launches[i]
			ratios = append(ratios, l.Canary.OwnClock)
			clocks[k].GHz = append(clocks[k].GHz, l.Cycles.Median/stats.Median(l.SamplesNS))
		}
		if own, known := stats.OwnClockOf(ratios); known {
			clocks[k].Own = own.Taken()
		}
	}
	cycles, _ := stats.Comparable(clocks[:]...)
	return cycles
}

// mostKnown is the share of pairs in which a figure must be known to be compared by: a half of turns may have been
// disturbed.
const mostKnown = 0.75

// leastQuietPairs is how many pairs must be undisturbed for the others to be left out.
const leastQuietPairs = 10

func contended(r *invocations.Result) bool { return slices.Contains(r.Verdicts, invocations.Contended) }

// ratios returns the logarithms of the ratios of pairs of launches by a figure, new to old, without the pairs in which
// it is not known. Where both launches were measured in turns, there are several: what changed between turns changed
// both sides of the following ones.
func ratios(sides [2][]invocations.Result, by Figure) [][]float64 {
	list := make([][]float64, 0, len(sides[0]))
	for i := range sides[0] {
		a, b := values(&sides[0][i], by), values(&sides[1][i], by)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		var one []float64
		if len(a) == len(b) && len(a) > 1 {
			one = overTurns(a, b)
		} else {
			one = medianRatio(a, b)
		}
		if len(one) > 0 {
			list = append(list, one)
		}
	}
	return list
}

// overTurns returns the ratios of turns. The arguments change places after half of them: then a ratio of the first half
// errs as much as one of the second, the other way. So each is the mean of one and the other.
func overTurns(a, b []float64) []float64 {
	half := len(a) / 2
	first, second := halfRatios(a[:half], b[:half]), halfRatios(a[half:], b[half:])
	switch {
	case len(first) == 0:
		return second
	case len(second) == 0:
		return first
	}
	means := make([]float64, min(len(first), len(second)))
	for i := range means {
		means[i] = (first[i] + second[i]) / 2
	}
	return means
}

// halfRatios returns the ratios of the turns that neither side has without a value. If there are none, it returns that
// of what each side has.
func halfRatios(a, b []float64) []float64 {
	if d := stats.LogRatios(a, b); len(d) > 0 {
		return d
	}
	return medianRatio(a, b)
}

// medianRatio returns the ratio of the medians of two sides; none if one of them is not known.
func medianRatio(a, b []float64) []float64 {
	return stats.LogRatios([]float64{stats.Median(known(a))}, []float64{stats.Median(known(b))})
}

// typical returns the median of pairs, each of which counts as its median.
func typical(pairs [][]float64) float64 {
	var medians []float64
	for _, one := range pairs {
		medians = append(medians, stats.Median(one))
	}
	return stats.Median(medians)
}

// known returns the values that are numbers.
func known(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

// values returns a figure of each turn of a launch, NaN for a turn that does not count, or of the launch if it has no
// turns. It is empty if the figure is not known.
func values(l *invocations.Result, by Figure) []float64 {
	quantile := 0.5
	switch by {
	case ByNeighbours:
		return halfOf(l.Neighbours)
	case ByCycles, ByReference:
		return cyclesOf(l, by == ByCycles)
	case ByFasterBatches:
		quantile = 0.25
	}
	samples, turns := l.SamplesNS, l.MergedSamples
	if len(samples) == 0 {
		return nil
	}
	if len(turns) == 0 {
		turns = []int{len(samples)}
	}
	list := make([]float64, 0, len(turns))
	for _, n := range turns {
		value := math.NaN()
		if n > 0 {
			value = stats.QuantileOf(samples[:n], quantile)
		}
		list = append(list, value)
		samples = samples[n:]
	}
	return list
}

// cyclesOf returns the cycles of each turn of a launch, or of the launch, if they are known and were counted, or were not.
func cyclesOf(l *invocations.Result, counted bool) []float64 {
	switch {
	case l.Cycles.N == 0 || l.CyclesCounted != counted:
		return nil
	case len(l.Cycles.Turns) > 0:
		return l.Cycles.Turns
	}
	return []float64{l.Cycles.Median}
}

// halfOf returns values of one side so that their ratios to those of the other, which has the opposite logarithms, are what
// the logarithms say.
func halfOf(logarithms []float64) (list []float64) {
	for _, v := range logarithms {
		list = append(list, math.Exp(v/2))
	}
	return list
}

// Rows returns the rows of two sets that were measured in pairs. Rows are in the order of the new side; those that only
// the old side has come last.
func (j *Judge) Rows(before, after *Set) []Row {
	rows, differ := match(before, after), j.differ()
	for i := range rows {
		r := &rows[i]
		if !r.begin() {
			continue
		}
		k := slices.IndexFunc(j.rows, func(one judged) bool { return one.id == r.Old.ID })
		if k < 0 || j.rows[k].by == "" {
			r.Notes = append(r.Notes, "no times to compare")
			continue
		}
		done := &j.rows[k]
		r.By, r.Difference, r.Pairs = done.by, done.Difference, done.pairs
		r.OldValue, r.NewValue = r.Old.median(r.By), r.New.median(r.By)
		if done.disturbed > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of %d pairs of launches were disturbed, and count nevertheless",
				done.disturbed, r.Pairs))
		}
		if r.decide(differ[k], j.options); r.Verdict == Same {
			r.Verdict = done.verdict(differ[k], j.options)
		}
		if why := leftWork(r.Old, r.New); why != "" {
			r.Verdict, r.Notes = Undecided, append(r.Notes, why)
		} else if r.Verdict == Undecided {
			r.Notes = append(r.Notes, fmt.Sprintf("%d pairs of launches were too few to decide", r.Pairs))
		}
	}
	return rows
}

// median returns the typical value by a figure: nanoseconds, or cycles.
func (m *Measurement) median(by Figure) float64 {
	switch {
	case by == ByCycles && len(m.Cycles.Launches) > 0:
		return stats.Median(m.Cycles.Launches)
	case by == ByReference && len(m.Reference.Launches) > 0:
		return stats.Median(m.Reference.Launches)
	}
	return stats.Median(m.Time.Launches)
}
