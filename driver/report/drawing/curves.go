package drawing

import (
	"fmt"
	"math"
	"strings"
)

// Curve is a series of values. The place of a value, from 1, is its horizontal coordinate; places whose value is NaN
// are left out.
type Curve struct {
	Name   string
	Values []float64
}

const (
	mostCurvePoints = 1000 // of a curve: more cannot be told apart
	mostDots        = 32   // of a curve: its values are marked if they are few
)

type point struct{ x, y float64 }

func drawable(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

// Curves draws curves over a horizontal axis that counts from 1, with a legend if there are several. The vertical axis
// is logarithmic. Values are above zero, or NaN; if there is none, only the frame is drawn. label returns the text of a
// value.
func Curves(title, x, y string, curves []Curve, label func(float64) string) Drawing {
	d := New(title, x, y)
	low, high, longest := math.Inf(1), 0.0, 1
	for _, c := range curves {
		for i, v := range c.Values {
			if drawable(v) {
				low, high, longest = min(low, v), max(high, v), max(longest, i+1)
			}
		}
	}
	if high == 0 {
		return d
	}
	low, high = low/1.1, high*1.1
	if len(curves) > 1 {
		high *= math.Pow(high/low, 0.1) // the legend's place
	}
	at := func(i int) float64 { return d.Left + (float64(i)+0.5)/float64(longest)*FrameWidth }
	height := func(v float64) float64 { return d.Bottom - math.Log(v/low)/math.Log(high/low)*FrameHeight }
	for _, v := range decades(low, high) {
		d.YTicks = append(d.YTicks, Tick{height(v), label(v)})
	}
	for _, v := range Steps(1, float64(max(longest, 2)), 6) {
		if v == math.Trunc(v) && int(v) <= longest {
			d.XTicks = append(d.XTicks, Tick{at(int(v) - 1), label(v)})
		}
	}
	key := d.Left + 10
	var dots strings.Builder
	for _, c := range curves {
		var points []point
		for i, v := range c.Values {
			if drawable(v) {
				points = append(points, point{at(i), height(v)})
			}
		}
		if len(points) <= mostDots {
			for _, p := range points {
				Dot(&dots, p.x, p.y)
			}
		}
		line := Line{Path: curvePath(points)}
		if len(curves) > 1 {
			line.Name, line.Key = c.Name, key
			key += 26 + 6.5*float64(len([]rune(c.Name)))
		}
		d.Lines = append(d.Lines, line)
	}
	d.Points = dots.String()
	return d
}

// curvePath joins the points of a curve, from left to right. Of very many, it keeps the ends and some between.
func curvePath(points []point) string {
	var path strings.Builder
	step, command := (len(points)+mostCurvePoints-1)/mostCurvePoints, "M"
	for i, p := range points {
		if i%step == 0 || i == len(points)-1 {
			fmt.Fprintf(&path, "%s%.1f %.1f", command, p.x, p.y)
			command = "L"
		}
	}
	return path.String()
}
