package drawing

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Sequence draws values at places that are evenly spread, such as runs: the X of the series are places from 0 to n - 1.
// steps are places between two others; each has a line. xLabel returns the two lines of text of a place. Only as many
// texts are shown as do not touch each other on a telephone; the last one always is.
func Sequence(title, x, y string, s Series, steps []float64, n int, xLabel func(place int) (text, below string),
	yLabel func(float64) string) Drawing {
	d := New(title, x, y)
	d.TwoLines()
	up := scaleOf(8, s.Y, s.Low, s.High)
	left := func(place float64) float64 { return d.Left + (place+0.5)/float64(max(n, 1))*FrameWidth }
	if !d.draw([]Series{s}, left, func(v float64) float64 { return d.Bottom - up.at(v)*FrameHeight }) {
		d.Missing = "no " + y + " is known"
		return d
	}
	for _, v := range up.ticks() {
		d.YTicks = append(d.YTicks, Tick{At: d.Bottom - up.at(v)*FrameHeight, Text: yLabel(v)})
	}
	half := func(t Tick) float64 {
		return letter / 2 * (2 + float64(max(utf8.RuneCountInString(t.Text), utf8.RuneCountInString(t.Below))))
	}
	next := d.Right + FrameWidth // where the text to the right begins
	for place := n - 1; place >= 0; place-- {
		t := Tick{At: left(float64(place))}
		t.Text, t.Below = xLabel(place)
		if t.At+half(t) <= next {
			d.XTicks = append(d.XTicks, t)
			next = t.At - half(t)
		}
	}
	var lines strings.Builder
	for _, place := range steps {
		fmt.Fprintf(&lines, "M%.1f %.1fV%.1f", left(place), d.Top, d.Bottom)
	}
	d.Zero = lines.String()
	return d
}
