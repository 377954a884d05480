package fitting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/driver/report"
)

// drawing is a diagram of points. Coordinates are in the drawing's own units, y downwards.
type drawing struct {
	Title, XTitle, YTitle    string
	Width, Height            int
	Left, Top, Right, Bottom float64 // of the frame
	XTicks, YTicks           []tick
	Zero                     string // of a line for no error: the start and the end of a path; empty if there is none
	Points                   string // a path of dots
	Medians                  []mark
}

// tick is a mark on an axis with its text.
type tick struct {
	At   float64
	Text string
}

// mark is a short horizontal line at a median.
type mark struct{ From, To, Y float64 }

// The frame of a drawing.
const (
	frameLeft, frameTop, frameWidth, frameHeight = 64.0, 10.0, 360.0, 260.0
	marginRight, marginBottom                    = 12.0, 44.0
)

func newDrawing(title, x, y string) drawing {
	return drawing{
		Title: title, XTitle: x, YTitle: y, Left: frameLeft, Top: frameTop, Right: frameLeft + frameWidth,
		Bottom: frameTop + frameHeight, Width: int(frameLeft + frameWidth + marginRight),
		Height: int(frameTop + frameHeight + marginBottom),
	}
}

// XMiddle returns the middle of the frame's width.
func (d drawing) XMiddle() float64 { return (d.Left + d.Right) / 2 }

// YMiddle returns the middle of the frame's height.
func (d drawing) YMiddle() float64 { return (d.Top + d.Bottom) / 2 }

// XTitleY returns the height of the title of the horizontal axis.
func (d drawing) XTitleY() float64 { return float64(d.Height) - 8 }

// comparing draws predicted against measured on logarithmic axes, with the line on which both are equal.
func comparing(measured, predicted []float64, unit string) drawing {
	d := newDrawing("Predicted against measured", "measured, "+unit, "predicted, "+unit)
	low := math.Log10(min(slices.Min(measured), slices.Min(predicted)))
	high := math.Log10(max(slices.Max(measured), slices.Max(predicted)))
	low, high = low-0.02*(high-low+0.1), high+0.02*(high-low+0.1)
	x := func(v float64) float64 { return d.Left + (math.Log10(v)-low)/(high-low)*frameWidth }
	y := func(v float64) float64 { return d.Bottom - (math.Log10(v)-low)/(high-low)*frameHeight }
	for _, v := range decades(math.Pow(10, low), math.Pow(10, high)) {
		text := short(v)
		d.XTicks = append(d.XTicks, tick{x(v), text})
		d.YTicks = append(d.YTicks, tick{y(v), text})
	}
	d.Zero = fmt.Sprintf("M%.1f %.1fL%.1f %.1f", d.Left, d.Bottom, d.Right, d.Top)
	var path strings.Builder
	for i, m := range measured {
		dot(&path, x(m), y(predicted[i]))
	}
	d.Points = path.String()
	return d
}

// decades returns round numbers for a logarithmic axis: powers of ten, and 2 and 5 times these if there are few.
func decades(low, high float64) []float64 {
	factors := []float64{1}
	if high/low < 1000 {
		factors = []float64{1, 2, 5}
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
		return niceSteps(low, high, 4)
	}
	return out
}

// mostLabel is the number of letters of a label. A letter is about labelLetter wide.
const (
	mostLabel   = 12
	labelLetter = 7
)

func labelWidth(label string) int { return labelLetter * (1 + min(mostLabel, len([]rune(label)))) }

// byVariable draws residuals in percent by the value of a variable. Points of one value are spread over its slot; a
// line is at their median.
func byVariable(name string, slots []slot, residuals []float64) drawing {
	d := newDrawing("Residuals by "+name, name, "predicted / measured − 1, %")
	low, high := min(slices.Min(residuals), 0), max(slices.Max(residuals), 0)
	margin := max(0.05*(high-low), 0.01)
	low, high = low-margin, high+margin
	y := func(v float64) float64 { return d.Bottom - (v-low)/(high-low)*frameHeight }
	for _, v := range niceSteps(low, high, 6) {
		d.YTicks = append(d.YTicks, tick{y(v), fmt.Sprintf("%.3g", v+0)})
	}
	d.Zero = fmt.Sprintf("M%.1f %.1fH%.1f", d.Left, y(0), d.Right)
	width := frameWidth / float64(len(slots))
	every := 1 // how many slots share a label, so that labels do not touch
	for _, s := range slots {
		every = max(every, int(math.Ceil(float64(labelWidth(s.label))/width)))
	}
	var path strings.Builder
	for i, s := range slots {
		middle := d.Left + (float64(i)+0.5)*width
		if i%every == 0 {
			d.XTicks = append(d.XTicks, tick{middle, report.Shorten(s.label, mostLabel)})
		}
		values := pick(residuals, s.points)
		for j, v := range values {
			_, share := math.Modf(float64(j) * math.Phi) // spreads evenly, and always in the same way
			dot(&path, middle+(share-0.5)*0.7*width, y(v))
		}
		slices.Sort(values)
		median := (values[len(values)/2] + values[(len(values)-1)/2]) / 2
		d.Medians = append(d.Medians, mark{middle - 0.42*width, middle + 0.42*width, y(median)})
	}
	d.Points = path.String()
	return d
}

// dot adds a line without length. Its round ends make it a dot.
func dot(path *strings.Builder, x, y float64) { fmt.Fprintf(path, "M%.1f %.1fh0", x, y) }
