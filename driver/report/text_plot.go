package report

import (
	"bytes"
	"slices"

	"zonemark/invocations"
)

// plotBins is the number of characters of a distribution.
const plotBins = 40

// writePlots draws how the times of calls are distributed, a line for each record, if the user wants to see it. The
// variants of a group share one axis. It ends at the largest 99th percentile; longer times count in the last character.
func writePlots(b *bytes.Buffer, run Run) error {
	if !run.Plot {
		return nil
	}
	for _, rows := range plotted(run) {
		low, high := 0.0, 0.0
		for i, r := range rows {
			s := r.Summary()
			if i == 0 || s.MinNS < low {
				low = s.MinNS
			}
			high = max(high, s.P99NS)
		}
		t := Table{Columns: []Column{
			{Title: "distribution", Name: true}, {Title: "from", Right: true}, {}, {Title: "to"},
			{Title: "beyond", Right: true},
		}}
		for _, r := range rows {
			beyond := 0
			for _, ns := range r.SamplesNS {
				if ns > high {
					beyond++
				}
			}
			t.Add(Printable(r.Name), Time(low), Blocks(r.SamplesNS, low, high, plotBins), Time(high),
				Percent(float64(beyond)/float64(len(r.SamplesNS))))
		}
		b.WriteByte('\n')
		if err := t.Write(b, run.Width); err != nil {
			return err
		}
	}
	return nil
}

// plotted returns the records with samples: those of each ranking, and each of the others alone.
func plotted(run Run) (list [][]*invocations.Record) {
	ranked := map[int]bool{}
	for _, ranking := range run.Rankings {
		var rows []*invocations.Record
		for _, row := range ranking.Rows {
			ranked[row.Variant] = true
			if r := &run.Records[row.Variant]; len(r.SamplesNS) > 0 {
				rows = append(rows, r)
			}
		}
		list = append(list, rows)
	}
	for i := range run.Records {
		if r := &run.Records[i]; !ranked[i] && r.Status == invocations.OK && len(r.SamplesNS) > 0 {
			list = append(list, []*invocations.Record{r})
		}
	}
	return slices.DeleteFunc(list, func(rows []*invocations.Record) bool { return len(rows) == 0 })
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
