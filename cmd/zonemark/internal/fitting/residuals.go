package fitting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations/foreign"
)

// mostLabel is the number of letters of a label. A letter is about labelLetter wide.
const (
	mostLabel   = 12
	labelLetter = 7
)

func labelWidth(label string) int { return labelLetter * (1 + min(mostLabel, len([]rune(label)))) }

// byVariable draws residuals in percent by the value of a variable. Points of one value are spread over its slot; a
// line is at their median.
func byVariable(name string, slots []slot, residuals []float64) drawing.Drawing {
	d := drawing.New("Residuals by "+name, name, "predicted / measured − 1, %")
	low, high := min(slices.Min(residuals), 0), max(slices.Max(residuals), 0)
	margin := max(0.05*(high-low), 0.01)
	low, high = low-margin, high+margin
	y := func(v float64) float64 { return d.Bottom - (v-low)/(high-low)*drawing.FrameHeight }
	for _, v := range drawing.Steps(low, high, 6) {
		d.YTicks = append(d.YTicks, drawing.Tick{At: y(v), Text: report.Number(v + 0)})
	}
	d.Zero = fmt.Sprintf("M%.1f %.1fH%.1f", d.Left, y(0), d.Right)
	width := drawing.FrameWidth / float64(len(slots))
	every := 1 // how many slots share a label, so that labels do not touch
	for _, s := range slots {
		every = max(every, int(math.Ceil(float64(labelWidth(s.label))/width)))
	}
	var path strings.Builder
	for i, s := range slots {
		middle := d.Left + (float64(i)+0.5)*width
		if i%every == 0 {
			d.XTicks = append(d.XTicks, drawing.Tick{At: middle, Text: foreign.Shorten(s.label, mostLabel)})
		}
		values := pick(residuals, s.points)
		for j, v := range values {
			_, share := math.Modf(float64(j) * math.Phi) // spreads evenly, and always alike
			drawing.Dot(&path, middle+(share-0.5)*0.7*width, y(v))
		}
		slices.Sort(values)
		median := (values[len(values)/2] + values[(len(values)-1)/2]) / 2
		d.Medians = append(d.Medians, drawing.Mark{From: middle - 0.42*width, To: middle + 0.42*width, Y: y(median)})
	}
	d.Points = path.String()
	return d
}
