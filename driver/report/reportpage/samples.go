package reportpage

import (
	"math"
	"slices"
	"strconv"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// samples are the samples of an invocation, binned for drawings. Times are in the unit of the invocation.
type samples struct {
	Total int `json:"total"`
	// From and To are the ends of the axis of time. Samples beyond To are not drawn at their place.
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Beyond int     `json:"beyond,omitempty"`
	// Each is the number of samples of a column. Low and High are absent if it is 1.
	Each   int       `json:"each"`
	Low    []float64 `json:"low,omitempty"`
	Middle []float64 `json:"middle"` // medians
	High   []float64 `json:"high,omitempty"`
	// Waited are the columns with a batch whose thread waited for the CPU; see waiting.
	Waited []int `json:"waited,omitempty"`
	// Set are batches that were set apart: the number of kept ones before each, and its time. There are All of them.
	Set       [][2]float64 `json:"set,omitempty"`
	All       int64        `json:"all,omitempty"`
	Histogram []int        `json:"histogram"` // counts between From and To; the last one holds those beyond, too
	Launches  [][]float64  `json:"launches,omitempty"`
	Joined    int          `json:"joined,omitempty"` // the number of launches in each of Launches, if it is not 1
	Apart     []int        `json:"apart,omitempty"`  // numbers of launches that were set apart
}

const (
	histogramBins = 48
	mostBoxes     = 60 // of launches: more cannot be told apart
)

// binned returns the samples of a timed record in so many columns, or nil if there are none.
func binned(r *invocations.Record, unitNS float64, columns int) *samples {
	if len(r.SamplesNS) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(r.SamplesNS))
	from, to := axisOf(sorted)
	s := &samples{Total: len(sorted), From: rounded(from / unitNS), To: rounded(to / unitNS)}
	s.Each = (len(r.SamplesNS) + columns - 1) / columns
	if len(r.SamplesNS) <= 2*columns {
		s.Each = 1
	}
	waited := waiting(r)
	for column := range slices.Chunk(r.SamplesNS, s.Each) {
		sortedColumn := slices.Sorted(slices.Values(column))
		s.Middle = append(s.Middle, rounded(stats.Quantile(sortedColumn, 0.5)/unitNS))
		if s.Each > 1 {
			s.Low = append(s.Low, rounded(sortedColumn[0]/unitNS))
			s.High = append(s.High, rounded(sortedColumn[len(sortedColumn)-1]/unitNS))
		}
	}
	for i, is := range waited {
		if at := i / s.Each; is && (len(s.Waited) == 0 || s.Waited[len(s.Waited)-1] != at) {
			s.Waited = append(s.Waited, at)
		}
	}
	s.Histogram = make([]int, histogramBins)
	for _, v := range sorted {
		at := int(histogramBins * ((v - from) / (to - from)))
		s.Histogram[min(max(at, 0), histogramBins-1)]++
		if v > to {
			s.Beyond++
		}
	}
	s.addLaunches(r, unitNS)
	s.addSetApart(r, unitNS, max(1, columns/3))
	return s
}

// addSetApart adds batches that were set apart, evenly at most so many of them.
func (s *samples) addSetApart(r *invocations.Record, unitNS float64, most int) {
	n := min(len(r.ApartNS), len(r.ApartAfter))
	each := (n + most - 1) / most
	for i := 0; i < n; i += each {
		s.Set = append(s.Set, [2]float64{float64(r.ApartAfter[i]), rounded(r.ApartNS[i] / unitNS)})
	}
	if s.All = int64(n); r.Discarded != nil {
		s.All = max(s.All, *r.Discarded)
	}
}

// axisOf returns the ends of the axis of time: from a little below the least sample to the greatest, or to a little
// beyond the 99th percentile if the greatest is far beyond it.
func axisOf(sorted []float64) (from, to float64) {
	from, to = sorted[0], sorted[len(sorted)-1]
	if p99 := stats.Quantile(sorted, 0.99); to > p99+(p99-from)/2 && p99 > from {
		to = p99 + (p99-from)/10
	}
	if least := 1e-4 * max(math.Abs(from), math.Abs(to)); !(to-from > least) {
		from, to = from-least, to+least
	}
	if from == to {
		to = from + 1
	}
	return from - (to-from)/40, to
}

// waiting tells of each sample whether its thread waited for the CPU: the batch took over 5 % longer than the median,
// and more than half of what it took longer was not CPU time. It returns nil if CPU times are not known.
func waiting(r *invocations.Record) []bool {
	if len(r.CPUSamplesNS) != len(r.SamplesNS) {
		return nil
	}
	wall, cpu := stats.Median(r.SamplesNS), stats.Median(r.CPUSamplesNS)
	out := make([]bool, len(r.SamplesNS))
	for i, v := range r.SamplesNS {
		longer := v - wall
		out[i] = longer > 0.05*wall && r.CPUSamplesNS[i]-cpu < longer/2
	}
	return out
}

// addLaunches adds of each launch its number, the number of its samples, and their 5th, 25th, 50th, 75th and 95th
// percentiles. Very many launches share boxes.
func (s *samples) addLaunches(r *invocations.Record, unitNS float64) {
	launches := r.MergedNS()
	if len(launches) < 2 {
		return
	}
	joined := (len(launches) + mostBoxes - 1) / mostBoxes
	if joined > 1 {
		s.Joined = joined
	}
	numbers := r.LaunchNumbers
	if len(numbers) != len(launches) {
		numbers = nil
	}
	for first := 0; first < len(launches); first += joined {
		all := slices.Sorted(slices.Values(slices.Concat(launches[first:min(first+joined, len(launches))]...)))
		number := first
		if numbers != nil {
			number = numbers[first]
		}
		box := []float64{float64(number), float64(len(all))}
		if len(all) > 0 {
			for _, q := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
				box = append(box, rounded(stats.Quantile(all, q)/unitNS))
			}
		}
		s.Launches = append(s.Launches, box)
	}
	if joined == 1 {
		s.Apart = apart(numbers)
	}
}

// apart returns the numbers of the launches that were set apart: those that are missing before the last one.
func apart(numbers []int) []int {
	var missing []int
	next := 0
	for _, n := range numbers {
		for ; next < n && len(missing) < mostBoxes; next++ {
			missing = append(missing, next)
		}
		next = n + 1
	}
	return missing
}

// rounded returns v with six significant digits, which is more than a drawing shows; 0 for what JSON cannot hold.
func rounded(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return short
}
