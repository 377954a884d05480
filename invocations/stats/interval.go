package stats

// Interval is a figure and the range in which the figure of a second run lies with 95 % confidence.
type Interval struct{ Value, Low, High float64 }

// Half returns how far the interval reaches from its figure, to the side to which it reaches farther: half its width if the
// figure is in its middle.
func (i Interval) Half() float64 { return max(i.High-i.Value, i.Value-i.Low) }

// Known reports whether there is a figure.
func (i Interval) Known() bool { return i.Value != 0 || i.Low != 0 || i.High != 0 }

// Widen returns the interval, widened to reach at least half to both sides of the figure.
func (i Interval) Widen(half float64) Interval {
	i.Low, i.High = min(i.Low, i.Value-half), max(i.High, i.Value+half)
	return i
}

// Within reports whether the interval lies within ± precision of the figure, as a fraction of it. The fraction is of
// least if the figure is below least.
func (i Interval) Within(precision, least float64) bool {
	return i.Known() && i.Half() <= precision*max(i.Value, least)
}
