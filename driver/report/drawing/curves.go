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
// is logarithmic. Values are above zero, or NaN; if there is none, the frame says so. label returns the text of a value.
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
		d.Missing = "no " + y + " above zero is known"
		return d
	}
	low, high = low/1.1, high*1.1
	at := func(i int) float64 { return d.Left + (float64(i)+0.5)/float64(longest)*FrameWidth }
	height := func(v float64) float64 { return d.Bottom - math.Log(v/low)/math.Log(high/low)*FrameHeight }
	for _, v := range decades(low, high) {
		d.YTicks = append(d.YTicks, Tick{At: height(v), Text: label(v)})
	}
	for _, v := range Steps(1, float64(max(longest, 2)), 6) {
		if v == math.Trunc(v) && int(v) <= longest {
			d.XTicks = append(d.XTicks, Tick{At: at(int(v) - 1), Text: label(v)})
		}
	}
	for n, c := range curves {
		var points []point
		for i, v := range c.Values {
			if drawable(v) {
				points = append(points, point{at(i), height(v)})
			}
		}
		line := Line{Path: curvePath(points), Class: classOf(n, 0, false)}
		if len(points) <= mostDots {
			line.Points = dotsAt(points)
		}
		d.Lines = append(d.Lines, line)
		if len(curves) > 1 {
			d.Legend = append(d.Legend, c.Name)
		}
	}
	return d
}

// dotsAt returns a path of dots.
func dotsAt(points []point) string {
	var dots strings.Builder
	for _, p := range points {
		Dot(&dots, p.x, p.y)
	}
	return dots.String()
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
