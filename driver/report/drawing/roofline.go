package drawing

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Roof is a limit of a rate: Level at most, or Slope for each unit of the horizontal axis. One of both is above zero.
type Roof struct {
	Name         string // short, beside the line
	Title        string // for a pointer over it
	Level, Slope float64
	Second       bool // it belongs to the second of two sets of roofs, whose lines are dashed
	Vague        bool // it may be quite another one: its line is faint
}

// RoofPoint is something below the roofs.
type RoofPoint struct {
	X, Y  float64 // above zero
	Title string  // for a pointer over it
	Link  string  // the id of an element of the page; empty if there is none
	Set   int     // from 0, less than MostLines: the place in the legend
}

// Roofline is a diagram of points below roofs, both axes logarithmic. The template "roofline" shows it.
type Roofline struct {
	Drawing
	Roofs []RoofLine
	Dots  []RoofDot
	Above float64 // the height of the names above the frame
}

// RoofLine is a roof with the place of its name. The name of a slanted roof stands above the frame; Leader is a path
// from there to the roof's end.
type RoofLine struct {
	Path, Leader, Name, Title string
	X, Y                      float64
	Second                    bool
	AtEnd                     bool // the name ends at its place; else its middle is there
	Vague                     bool
}

// RoofDot is a point as it is drawn. If there are several sets, points are rings, those of the first sets larger: where they
// lie upon each other, all can be seen.
type RoofDot struct {
	X, Y, R     float64
	Title, Link string
	Set         int
	Ring        bool
}

// NewRoofline draws points below roofs. A flat roof begins where the steepest one of its set meets it, and a slanted
// one ends at the highest flat one. Names stand beside lines and not on them: those of slanted roofs above the frame, in
// as many rows as they need. There is at least one point. The functions return the texts of values at the axes.
func NewRoofline(title, x, y string, roofs []Roof, points []RoofPoint, xLabel, yLabel func(float64) string) Roofline {
	r := Roofline{Drawing: New(title, x, y)}
	across, up := roofAxes(roofs, points)
	left := func(v float64) float64 { return r.Left + across.at(v)*FrameWidth }
	top := func(v float64) float64 { return r.Bottom - up.at(v)*FrameHeight }
	for _, v := range across.ticks() {
		r.XTicks = append(r.XTicks, Tick{At: left(v), Text: xLabel(v)})
	}
	for _, v := range up.ticks() {
		r.YTicks = append(r.YTicks, Tick{At: top(v), Text: yLabel(v)})
	}
	for _, roof := range roofs {
		highest, steepest := topsOf(roofs, roof.Second)
		line := RoofLine{Name: roof.Name, Title: roof.Title, Second: roof.Second, Vague: roof.Vague}
		x0, x1 := across.low, across.high
		if roof.Slope > 0 {
			x0, x1 = max(x0, up.low/roof.Slope), min(x1, up.high/roof.Slope)
			if highest > 0 {
				x1 = min(x1, highest/roof.Slope)
			}
		} else if steepest > 0 {
			x0 = max(x0, roof.Level/steepest)
		}
		if x0 >= x1 {
			continue
		}
		y0, y1 := roof.Level, roof.Level
		if roof.Slope > 0 {
			y0, y1 = roof.Slope*x0, roof.Slope*x1
		}
		line.Path = fmt.Sprintf("M%.1f %.1fL%.1f %.1f", left(x0), top(y0), left(x1), top(y1))
		line.X, line.Y, line.AtEnd = left(x1)-4, top(y1)-5, true
		switch { // names of the second set are where those of the first are not
		case roof.Slope > 0:
			line.X, line.Y, line.AtEnd = left(x1), top(y1), false
		case !roof.Second:
			line.Y += 18
		}
		r.Roofs = append(r.Roofs, line)
	}
	last := 0
	for _, p := range points {
		last = max(last, p.Set)
	}
	for _, p := range points {
		r.Dots = append(r.Dots, RoofDot{left(p.X), top(p.Y), 5 + 1.5*float64(last-p.Set), p.Title, p.Link, p.Set, last > 0})
	}
	slices.SortStableFunc(r.Dots, func(a, b RoofDot) int { return cmp.Compare(a.Set, b.Set) })
	r.nameSlopes()
	return r
}

// nameSlopes gives the names of slanted roofs, which are not at their ends yet, places above the frame: from left to
// right, each in the first row in which it does not touch another.
func (r *Roofline) nameSlopes() {
	var slopes []*RoofLine
	for i := range r.Roofs {
		if !r.Roofs[i].AtEnd {
			slopes = append(slopes, &r.Roofs[i])
		}
	}
	slices.SortStableFunc(slopes, func(a, b *RoofLine) int { return cmp.Compare(a.X, b.X) })
	var ends []float64 // of the last name of each row, the lowest row first
	for _, line := range slopes {
		half := letter * float64(utf8.RuneCountInString(line.Name)) / 2
		row := slices.IndexFunc(ends, func(end float64) bool { return end <= line.X-half })
		if row < 0 {
			row = len(ends)
			ends = append(ends, 0)
		}
		ends[row] = line.X + half
		y := r.Top - 5 - lineHeight*float64(row)
		line.Leader = fmt.Sprintf("M%.1f %.1fV%.1f", line.X, line.Y, y+3)
		line.Y = y
	}
	r.Above = lineHeight * float64(len(ends))
	r.Height += int(r.Above)
}

// topsOf returns the highest level and the steepest slope of a set of roofs.
func topsOf(roofs []Roof, second bool) (highest, steepest float64) {
	for _, r := range roofs {
		if r.Second == second {
			highest, steepest = max(highest, r.Level), max(steepest, r.Slope)
		}
	}
	return highest, steepest
}

// roofAxes returns axes that show all points and the places where roofs meet.
func roofAxes(roofs []Roof, points []RoofPoint) (across, up axis) {
	xs, ys := []float64{}, []float64{}
	for _, p := range points {
		xs, ys = append(xs, p.X/2, p.X*2), append(ys, p.Y/2, p.Y)
	}
	for _, flat := range roofs {
		if flat.Level > 0 {
			ys = append(ys, flat.Level/50, 2*flat.Level)
		}
		for _, slanted := range roofs {
			if flat.Level > 0 && slanted.Slope > 0 && flat.Second == slanted.Second {
				xs = append(xs, flat.Level/slanted.Slope/4, flat.Level/slanted.Slope*4)
			}
		}
	}
	return scaleOf(1, xs), scaleOf(1, ys)
}
