// Package drawing draws diagrams for pages (HTML) as inline SVG, without scripts and without anything from elsewhere,
// in light and dark. It knows nothing of what is drawn.
package drawing

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Drawing is a diagram of points and lines. Coordinates are in the drawing's own units, y downwards. The template
// "drawing" shows it as wide as there is room: a unit across is then more or less than a pixel, and a unit upwards is
// one. Texts keep their size.
type Drawing struct {
	Title, XTitle, YTitle    string
	Height                   int
	Left, Top, Right, Bottom float64 // of the frame
	XTicks, YTicks           []Tick
	Zero                     string // of lines to compare with, such as one for no error: a path; empty if there is none
	Points                   string // a path of dots; empty if there are none
	Medians                  []Mark
	Lines                    []Line
	Legend                   []string // names of the lines, shown above the frame; empty: they have none
	Notes                    []string // for below the drawing
	Missing                  string   // what is missing if there is nothing to draw; shown in the frame
	below                    float64  // height of further texts below those of the horizontal axis
}

// Tick is a mark on an axis with its text, and with a second line below that of a horizontal axis.
type Tick struct {
	At          float64
	Text, Below string
}

// Mark is a short horizontal line at a median.
type Mark struct{ From, To, Y float64 }

// Line is a curve: paths of the line itself, of dots at its values, and of their intervals. The last two may be empty.
// Class is that of its style.
type Line struct{ Path, Points, Spans, Class string }

// The frame of a drawing.
const (
	frameLeft, frameTop = 0.0, 10.0
	// FrameWidth and FrameHeight are the extents of the frame in which values are drawn.
	FrameWidth, FrameHeight = 360.0, 260.0
	marginBottom            = 44.0
	lineHeight              = 14.0 // of a text
	letter                  = 8.5  // width of a letter, if the frame is as narrow as on a telephone
	crowd                   = 400  // so many dots are drawn small
)

// New returns a drawing with an empty frame. x and y are the titles of its axes.
func New(title, x, y string) Drawing {
	return Drawing{
		Title: title, XTitle: x, YTitle: y, Left: frameLeft, Top: frameTop, Right: frameLeft + FrameWidth,
		Bottom: frameTop + FrameHeight, Height: int(frameTop + FrameHeight + marginBottom),
	}
}

// TwoLines makes room for texts below those of the horizontal axis.
func (d *Drawing) TwoLines() { d.Height, d.below = d.Height+lineHeight, lineHeight }

// Across returns a place in the frame as a percentage of its width.
func (d Drawing) Across(x float64) string {
	return fmt.Sprintf("%.2f%%", 100*(x-d.Left)/(d.Right-d.Left))
}

// YMiddle returns the middle of the frame's height.
func (d Drawing) YMiddle() float64 { return (d.Top + d.Bottom) / 2 }

// XTitleY returns where the title of the horizontal axis stands.
func (d Drawing) XTitleY() float64 { return d.Bottom + d.below + marginBottom - 8 }

// FrameHeight returns the height of the frame.
func (d Drawing) FrameHeight() float64 { return d.Bottom - d.Top }

// Crowded reports whether there are so many dots that small ones show more.
func (d Drawing) Crowded() bool { return strings.Count(d.Points, "h0") > crowd }

// Comparing draws predicted against measured on logarithmic axes, with the line on which both are equal. All values are
// above zero, and there is at least one. label returns the text of a value at an axis; unit is empty if it has the unit.
func Comparing(measured, predicted []float64, unit string, label func(float64) string) Drawing {
	if unit != "" {
		unit = ", " + unit
	}
	d := New("Predicted against measured", "measured"+unit, "predicted"+unit)
	low := math.Log10(min(slices.Min(measured), slices.Min(predicted)))
	high := math.Log10(max(slices.Max(measured), slices.Max(predicted)))
	low, high = low-0.02*(high-low+0.1), high+0.02*(high-low+0.1)
	x := func(v float64) float64 { return d.Left + (math.Log10(v)-low)/(high-low)*FrameWidth }
	y := func(v float64) float64 { return d.Bottom - (math.Log10(v)-low)/(high-low)*FrameHeight }
	for _, v := range decades(math.Pow(10, low), math.Pow(10, high)) {
		text := label(v)
		d.XTicks = append(d.XTicks, Tick{At: x(v), Text: text})
		d.YTicks = append(d.YTicks, Tick{At: y(v), Text: text})
	}
	d.Zero = fmt.Sprintf("M%.1f %.1fL%.1f %.1f", d.Left, d.Bottom, d.Right, d.Top)
	var path strings.Builder
	for i, m := range measured {
		Dot(&path, x(m), y(predicted[i]))
	}
	d.Points = path.String()
	return d
}

// decades returns round numbers for a logarithmic axis: powers of ten, and multiples of these if there are few.
func decades(low, high float64) []float64 {
	factors := []float64{1}
	switch span := high / low; { // the texts of more would touch in narrow windows
	case span < 50:
		factors = []float64{1, 2, 5}
	case span < 1000:
		factors = []float64{1, 3}
	}
	var out []float64
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, f := range factors {
			if v := f * power; v >= low && v <= high {
				out = append(out, v)
			}
		}
	}
	if len(out) < 2 { // all within a factor of two
		return Steps(low, high, 4)
	}
	return out
}

// Dot adds a line of no length, which round ends make a dot.
func Dot(path *strings.Builder, x, y float64) { fmt.Fprintf(path, "M%.1f %.1fh0", x, y) }
