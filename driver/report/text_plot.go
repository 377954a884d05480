package report

import (
	"bufio"
	"math"
	"slices"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// The number of characters of a distribution, and from which width of the terminal on there is room for more.
const (
	fewBins, manyBins = 24, 40
	manyBinsWidth     = 100
)

// writePlots draws how the times of calls are distributed, a line for each record, if the user wants to see it. The
// variants of a group share one axis. It ends at the largest 99th percentile; longer times count in the last character.
func writePlots(b *bufio.Writer, run Run, seen *overview) error {
	if !run.Plot {
		return nil
	}
	alone := newPlot()
	for r, err := range seen.notRanked(run) {
		if err != nil {
			return err
		}
		if r.Status == invocations.OK {
			alone.add(run, r)
		}
	}
	plots := []plot{alone}
	for _, ranking := range run.Rankings {
		group := newPlot()
		rows, err := rowsOf(run, ranking)
		if err != nil {
			return err
		}
		group.add(run, rows...)
		plots = append(plots, group)
	}
	for _, p := range plots {
		if p.table.Len() == 0 {
			continue
		}
		b.WriteByte('\n')
		if err := p.table.Write(b, run.Width); err != nil {
			return err
		}
	}
	return nil
}

// plot is a table of distributions.
type plot struct{ table *texttable.Table }

func newPlot() plot {
	return plot{&texttable.Table{Columns: []texttable.Column{
		{Title: "distribution", Name: true}, {Title: "from", Right: true}, {}, {Title: "to"},
		{Title: "beyond", Right: true},
	}}}
}

// add draws the records that have samples on one axis.
func (p plot) add(run Run, records ...*invocations.Record) {
	bins := manyBins
	if run.Width > 0 && run.Width < manyBinsWidth {
		bins = fewBins
	}
	low, high := math.Inf(1), 0.0
	for _, r := range records {
		if s := r.Summary(); len(r.SamplesNS) > 0 {
			low, high = min(low, s.MinNS), max(high, s.P99NS)
		}
	}
	for _, r := range records {
		if len(r.SamplesNS) == 0 {
			continue
		}
		beyond := 0
		for _, ns := range r.SamplesNS {
			if ns > high {
				beyond++
			}
		}
		p.table.Add(Printable(r.Name), Time(low), Blocks(r.SamplesNS, low, high, bins), Time(high),
			Percent(float64(beyond)/float64(len(r.SamplesNS))))
	}
}

// Blocks draws how samples are distributed from low to high, in so many characters. The height of each is the share of
// the samples in its part of the axis, the fullest being the highest; a blank has none. Samples beyond an end count in
// the outermost part.
func Blocks(samples []float64, low, high float64, bins int) string {
	counts := make([]int, bins)
	for _, x := range samples {
		i := bins / 2 // all are equal
		if high > low {
			i = int(max(0, min((x-low)/(high-low)*float64(bins), float64(bins-1))))
		}
		counts[i]++
	}
	most := slices.Max(counts)
	text := make([]rune, bins)
	for i, n := range counts {
		text[i] = ' '
		if n > 0 {
			text[i] = []rune("▁▂▃▄▅▆▇█")[(n*8-1)/most]
		}
	}
	return string(text)
}
