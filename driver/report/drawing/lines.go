package drawing

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MostLines is the number of lines of a set that can be told apart, by their colours. MostSets is the number of sets
// that can, by their dashes.
const MostLines, MostSets = 6, 4

// Series is a line of values over a variable, in order of X. Low and High are the values' intervals; both may be nil.
type Series struct {
	Name      string
	Set       int // from 0: several sets of lines, such as those of several runs
	X, Y      []float64
	Low, High []float64
}

const (
	leastOnLog = 1e-300 // from here on powers of ten are exact enough for ticks
	mostOnAxis = 1e200
)

// axis maps values to places.
type axis struct {
	low, high float64
	log       bool
}

// scaleOf returns an axis for values: logarithmic if they are positive and the greatest is at least least times the
// smallest. Values that are not finite, or nearly so, do not count.
func scaleOf(least float64, lists ...[]float64) axis {
	a := axis{low: math.Inf(1), high: math.Inf(-1)}
	for _, values := range lists {
		for _, v := range values {
			if finite(v) {
				a.low, a.high = min(a.low, v), max(a.high, v)
			}
		}
	}
	if a.low > a.high {
		return axis{low: 0, high: 1}
	}
	a.log = a.low > leastOnLog && a.high/a.low >= least
	if a.log {
		margin := math.Pow(a.high/a.low, 0.04)
		return axis{a.low / margin, a.high * margin, true}
	}
	margin := 0.04 * (a.high - a.low)
	if largest := max(math.Abs(a.low), math.Abs(a.high)); !(margin > 1e-9*largest) { // steps must be more than rounding
		margin = max(largest/10, math.SmallestNonzeroFloat32)
	}
	return axis{low: a.low - margin, high: a.high + margin}
}

// finite reports whether a value can be drawn. Values near the limits of numbers cannot: margins would go beyond.
func finite(v float64) bool { return math.Abs(v) < mostOnAxis }

// at returns the place of a value: 0 at the low end, 1 at the high one.
func (a axis) at(v float64) float64 {
	if a.log {
		return math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	return v/(a.high-a.low) - a.low/(a.high-a.low)
}

// ticks returns round values on the axis.
func (a axis) ticks() []float64 {
	if a.log {
		return decades(a.low, a.high)
	}
	return Steps(a.low, a.high, 5)
}

// ticksFor returns the values themselves if they are few and not too near each other, else round values.
func (a axis) ticksFor(lists [][]float64) []float64 {
	const most, nearest = 8, 0.08
	values := slices.DeleteFunc(slices.Concat(lists...), func(v float64) bool { return !finite(v) })
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > most {
		return a.ticks()
	}
	for i := 1; i < len(values); i++ {
		if a.at(values[i])-a.at(values[i-1]) < nearest {
			return a.ticks()
		}
	}
	return values
}

// Lines draws values over a variable, with intervals. The horizontal axis is logarithmic if its values are positive and
// span a factor of four, the vertical one from a factor of eight on. Of more than MostLines series of a set, only the
// first are drawn; nth lines of sets have the same colour. The functions return the texts of values at the axes.
func Lines(title, x, y string, series []Series, xLabel, yLabel func(float64) string) Drawing {
	d := New(title, x, y)
	place := map[int]int{} // how many lines of each set there are
	series = slices.DeleteFunc(slices.Clone(series), func(s Series) bool {
		place[s.Set]++
		return place[s.Set] > MostLines || s.Set >= MostSets
	})
	var xs, ys [][]float64
	for _, s := range series {
		xs, ys = append(xs, s.X), append(ys, s.Y, s.Low, s.High)
	}
	across, up := scaleOf(4, xs...), scaleOf(8, ys...)
	left := func(v float64) float64 { return d.Left + across.at(v)*FrameWidth }
	top := func(v float64) float64 { return d.Bottom - up.at(v)*FrameHeight }
	for _, v := range across.ticksFor(xs) {
		d.XTicks = append(d.XTicks, Tick{At: left(v), Text: xLabel(v)})
	}
	for _, v := range up.ticks() {
		d.YTicks = append(d.YTicks, Tick{At: top(v), Text: yLabel(v)})
	}
	if !d.draw(series, left, top) {
		d.Missing, d.XTicks, d.YTicks = "no "+y+" is known", nil, nil
	}
	return d
}

// draw draws series with their intervals, at the places that the functions return. It returns false if there is nothing
// to draw.
func (d *Drawing) draw(series []Series, left, top func(float64) float64) (drawn bool) {
	place := map[int]int{} // how many lines of each set there are
	for _, s := range series {
		place[s.Set] = 0
	}
	sets := len(place) > 1
	for _, s := range series {
		var points []point
		var spans strings.Builder
		for i := range min(len(s.X), len(s.Y)) {
			if !finite(s.X[i]) || !finite(s.Y[i]) {
				continue
			}
			p := point{left(s.X[i]), top(s.Y[i])}
			points = append(points, p)
			if i < len(s.Low) && i < len(s.High) && finite(s.Low[i]) && finite(s.High[i]) {
				fmt.Fprintf(&spans, "M%.1f %.1fV%.1f", p.x, top(s.Low[i]), top(s.High[i]))
			}
		}
		drawn = drawn || len(points) > 0
		d.Lines = append(d.Lines, Line{Path: curvePath(points), Points: dotsAt(points), Spans: spans.String(),
			Class: classOf(place[s.Set], s.Set, sets)})
		place[s.Set]++
		if len(series) > 1 {
			d.Legend = append(d.Legend, s.Name)
		}
	}
	return drawn
}

// classOf returns the class of the nth line of a set, by which the style colours it.
func classOf(n, set int, sets bool) string {
	if !sets {
		return fmt.Sprintf("line%d", n)
	}
	return fmt.Sprintf("line%d set%d", n, set)
}
