package compare

import (
	"cmp"
	"math"
	"slices"

	"zonemark/invocations/stats"
)

// Series is one measurement over runs of one machine, oldest first.
type Series struct {
	Name       string
	Parameters string
	By         Figure // that every point has
	Points     []Point
	Steps      []Step

	ghz float64 // the clock of all points that are times at the usual clock
}

// Point is a run's value.
type Point struct {
	Run   int     // its position among the runs
	Value float64 // median: nanoseconds, or cycles
	Half  float64 // relative: how far a second run would differ, as the run itself says
	Note  string  // why the value does not count, such as "contended"; empty: it counts

	launches []float64
}

// Step is a lasting change between two points.
type Step struct {
	Before, After int // points: the last one before the change, and the first one after it
	Difference
	Verdict Verdict // Faster or Slower
}

const (
	mostPoints  = 400 // of a series in which steps are searched: the latest
	nearPoints  = 5   // on each side of a step by which it is judged
	leastNoise  = 0.001
	stepPenalty = 3.0    // times noise and the logarithm of the number of points: what a step must explain
	madToStdDev = 1.4826 // of normal values
	otherFigure = "another figure"
)

// History returns a series for each measurement that at least two runs have, in the order of their first runs, with the
// steps in it. Runs are those of one machine, oldest first. A step is searched where medians change for good, and it must
// stand up to the same test as a comparison of two runs, with the correction for all steps that were searched.
func History(runs []*Set, o Options) []Series {
	o = o.withDefaults()
	all := gather(runs)
	all = slices.DeleteFunc(all, func(s Series) bool { return len(s.Points) < 2 })
	type candidate struct {
		series int
		step   Step
	}
	var found []candidate
	var p []float64
	for i := range all {
		for _, s := range all[i].candidates() {
			found, p = append(found, candidate{i, s}), append(p, s.P)
		}
	}
	differs := stats.Holm(p, o.Alpha)
	if o.FDR {
		differs = stats.BenjaminiHochberg(p, o.Alpha)
	}
	for i, c := range found {
		switch {
		case !differs[i]:
			continue
		case c.step.Low > 1+o.Floor && c.step.Ratio > 1+o.Margin:
			c.step.Verdict = Slower
		case c.step.High < 1/(1+o.Floor) && c.step.Ratio < 1/(1+o.Margin):
			c.step.Verdict = Faster
		default:
			continue
		}
		all[c.series].Steps = append(all[c.series].Steps, c.step)
	}
	return all
}

// gather makes the series. A measurement is followed by its name and parameters, since code that changes has other ids.
func gather(runs []*Set) []Series {
	var all []Series
	place := map[string]int{}
	clocks := clocksOf(runs)
	for n, run := range runs {
		for i := range run.Measurements {
			m := &run.Measurements[i]
			key := seriesKey(m)
			cycles, reference := stats.Comparable(clocks[key]...)
			by, values, _ := bestFigure(m, m, cycles, reference)
			if by == "" {
				continue
			}
			at, known := place[key]
			if !known {
				at = len(all)
				place[key] = at
				all = append(all, Series{Name: m.Name, Parameters: m.Parameters, By: by})
			}
			s := &all[at]
			if by == ByReference {
				s.ghz = cmp.Or(s.ghz, m.ReferenceGHz)
				values = m.referenceAt(s.ghz)
			}
			if last := len(s.Points) - 1; last >= 0 && s.Points[last].Run == n {
				continue // a name that occurs twice in one run
			}
			point := Point{Run: n, Value: stats.Median(values.Launches), Half: values.Half, launches: values.Launches}
			if why := m.disturbed(by); why != "" {
				point.Note = "the run " + why
			}
			if by != s.By {
				point.Note = otherFigure
			}
			s.Points = append(s.Points, point)
		}
	}
	return all
}

// seriesKey returns what the measurements of a series have in common.
func seriesKey(m *Measurement) string { return m.Name + "\x00" + m.Parameters }

// clocksOf returns what is known of the clocks of each series.
func clocksOf(runs []*Set) map[string][]stats.Clocks {
	all := map[string][]stats.Clocks{}
	for _, run := range runs {
		for i := range run.Measurements {
			if m := &run.Measurements[i]; len(m.Reference.Launches)+len(m.Cycles.Launches) > 0 {
				all[seriesKey(m)] = append(all[seriesKey(m)], m.clocks())
			}
		}
	}
	return all
}

// candidates returns where the series may have steps, with the tests of both sides.
func (s *Series) candidates() []Step {
	var good []int // points that count
	for i, p := range s.Points {
		if p.Note == "" && p.Value > 0 {
			good = append(good, i)
		}
	}
	good = good[max(0, len(good)-mostPoints):]
	logs, halves := make([]float64, len(good)), make([]float64, len(good))
	for i, at := range good {
		logs[i], halves[i] = math.Log(s.Points[at].Value), s.Points[at].Half
	}
	bounds := segments(logs, stats.Median(halves))
	var steps []Step
	for k := 1; k < len(bounds)-1; k++ {
		left := good[max(bounds[k-1], bounds[k]-nearPoints):bounds[k]]
		right := good[bounds[k]:min(bounds[k+1], bounds[k]+nearPoints)]
		a, halfA := s.pooled(left)
		b, halfB := s.pooled(right)
		step := Step{Before: left[len(left)-1], After: right[0], Difference: stats.Independent(a, b, halfA, halfB)}
		if !math.IsNaN(step.P) {
			steps = append(steps, step)
		}
	}
	return steps
}

// pooled returns the launches of several points, and the greatest of their half-widths.
func (s *Series) pooled(points []int) (launches []float64, half float64) {
	for _, at := range points {
		launches = append(launches, s.Points[at].launches...)
		half = max(half, s.Points[at].Half)
	}
	return launches, half
}

// segments divides values into stretches of one level each: the division with the least sum of distances from the
// stretches' medians, where each further stretch costs what noise may explain. Noise is how far neighbours usually differ,
// but no more than half, which the runs say themselves; 0: they do not. It returns the bounds, from 0 to the number of
// values.
func segments(x []float64, half float64) []int {
	n := len(x)
	if n < 2 {
		return []int{0, n}
	}
	var moves []float64
	for i := 1; i < n; i++ {
		moves = append(moves, math.Abs(x[i]-x[i-1]))
	}
	noise := madToStdDev * stats.Median(moves) / math.Sqrt2
	if half > 0 {
		noise = min(noise, half)
	}
	noise = max(noise, leastNoise)
	penalty := stepPenalty * noise * math.Log(float64(max(n, 3)))
	best, from := make([]float64, n+1), make([]int, n+1)
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(1)
		var sorted []float64 // x[begin:end]
		for begin := end - 1; begin >= 0; begin-- {
			at, _ := slices.BinarySearchFunc(sorted, x[begin], cmp.Compare[float64])
			sorted = slices.Insert(sorted, at, x[begin])
			if cost := best[begin] + distances(sorted) + penalty; cost < best[end] {
				best[end], from[end] = cost, begin
			}
		}
	}
	bounds := []int{n}
	for at := n; at > 0; at = from[at] {
		bounds = append(bounds, from[at])
	}
	slices.Reverse(bounds)
	return bounds
}

// distances returns the sum of the distances of sorted values from their median.
func distances(sorted []float64) (sum float64) {
	for i, j := 0, len(sorted)-1; i < j; i, j = i+1, j-1 {
		sum += sorted[j] - sorted[i]
	}
	return sum
}
