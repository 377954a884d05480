package reportpage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// A tuning ends with a comparison of its default with its best variant. The names of the two results are these words, "/"
// and the name of the function.
const (
	TunedDefault = "default"
	TunedBest    = "fastest"
)

// tuned returns what a tuning has found, for the card; "" if no source is the complete journal of one.
func tuned(sources []Source) (headline string, facts []drawing.Fact) {
	for _, s := range sources {
		timed := map[string]*invocations.Record{}
		for i := range s.records {
			if r := &s.records[i]; r.Status == invocations.OK && r.Timed() && r.Group == "" {
				timed[r.Name] = r
			}
		}
		for _, name := range slices.Sorted(maps.Keys(timed)) {
			function, is := strings.CutPrefix(name, TunedDefault+"/")
			standard, best := timed[name], timed[TunedBest+"/"+function]
			if !is || best == nil {
				continue
			}
			headline = fmt.Sprintf("The best variant takes %s, the default %s: %s times as long",
				report.Time(judgedOf(best)), report.Time(judgedOf(standard)), report.Ratio(judgedOf(standard)/judgedOf(best)))
			return headline, []drawing.Fact{{Name: TunedBest, Text: variantOf(best)}, {Name: TunedDefault, Text: variantOf(standard)}}
		}
	}
	return "", nil
}

// judgedOf returns the time by which a record is compared: at the reference clock, if it is known.
func judgedOf(r *invocations.Record) float64 {
	if r.ReferenceNS != nil {
		return *r.ReferenceNS
	}
	return *r.MedianNS
}

// variantOf says which variant a record is.
func variantOf(r *invocations.Record) string {
	words := []string{r.Function}
	for _, values := range []map[string]string{r.Options, r.Parameters} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			words = append(words, name+"="+values[name])
		}
	}
	return report.Printable(strings.Join(words, " "))
}
