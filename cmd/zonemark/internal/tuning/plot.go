package tuning

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"zonemark/driver/halide/adams2019"
	"zonemark/driver/halide/trainingpage"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/driver/tune"
	"zonemark/invocations/files"
)

// plot writes the page of --html after so many batches.
func (t *tuner) plot(batches int) error {
	var reports []tune.Report
	for n := 1; n <= batches; n++ {
		r, _ := t.folder.Batch(n).Report()
		reports = append(reports, r)
	}
	last := t.folder.Batch(batches)
	updated, err := last.Updated()
	if err != nil {
		return err
	}
	samples, _ := last.SamplesUpTo() // problems were told when they were trained on
	set, _ := adams2019.NewSet(samples)
	evaluations, err := adams2019.Evaluate(updated, set, int(t.Cores))
	if err != nil {
		return err
	}
	page := trainingpage.Page{Losses: learningCurves(reports)}
	host, _ := os.Hostname() // without one, the title has the date only
	page.Card.Title, page.Card.Place = "Tuning of Halide pipelines", report.Place(map[string]string{"host": host}, time.Now())
	names := t.folder.PipelineNames()
	for _, e := range evaluations {
		name := names[e.PipelineID]
		page.Pipelines = append(page.Pipelines, trainingpage.Pipeline{
			Name: name, MeasuredMS: e.MeasuredMS, PredictedMS: e.PredictedMS, RankCorrelation: e.RankCorrelation,
			BestMS: bestMS(reports, name),
		})
	}
	page.Card.Headline = headlineOf(page.Pipelines)
	page.Card.Facts = []drawing.Fact{
		{Name: "machine", Text: t.target},
		{Name: "Halide", Text: t.tools.Version},
		{Name: "schedules made for", Text: fmt.Sprintf("%d threads", t.Parallelism)},
		{Name: "batches", Text: fmt.Sprint(batches)},
		{Name: "learning rate", Text: fmt.Sprint(t.Rate)},
	}
	for _, p := range page.Pipelines {
		page.Card.Facts = append(page.Card.Facts, drawing.Fact{
			Name: "validation losses of " + p.Name, Text: validationLosses(reports, p.Name),
		})
	}
	return files.Replace(t.Plot, 0o666, func(w io.Writer) error { return trainingpage.Write(w, page) })
}

// learningCurves returns the losses of all epochs. There is none of validation if no pipeline was set apart for it.
func learningCurves(reports []tune.Report) []drawing.Curve {
	training, validation := drawing.Curve{Name: "training"}, drawing.Curve{Name: "validation"}
	for _, r := range reports {
		for _, e := range r.Epochs {
			training.Values = append(training.Values, e.Loss)
			v := math.NaN()
			if e.Validation != nil {
				v = *e.Validation
			}
			validation.Values = append(validation.Values, v)
		}
	}
	if slices.ContainsFunc(validation.Values, func(v float64) bool { return !math.IsNaN(v) }) {
		return []drawing.Curve{training, validation}
	}
	return []drawing.Curve{training}
}

// bestMS returns the best time of a pipeline up to each batch, and in it, in milliseconds; NaN as long as there is
// none.
func bestMS(reports []tune.Report, pipeline string) (list []float64) {
	best := math.NaN()
	for _, r := range reports {
		for _, p := range r.Pipelines {
			for _, time := range []*tune.Time{p.Best, p.Untuned} {
				if p.Pipeline == pipeline && time != nil && !(best <= time.MedianNS/1e6) {
					best = time.MedianNS / 1e6
				}
			}
		}
		list = append(list, best)
	}
	return list
}

// validationLosses returns the losses of the batches of a pipeline, as the weights that they were scheduled with
// predict them.
func validationLosses(reports []tune.Report, pipeline string) string {
	var words []string
	for _, r := range reports {
		for _, p := range r.Pipelines {
			if p.Pipeline == pipeline {
				words = append(words, figure(p.ValidationLoss))
			}
		}
	}
	return strings.Join(words, ", ")
}

// headlineOf says of each pipeline how much the best schedule gained since the first batch.
func headlineOf(pipelines []trainingpage.Pipeline) string {
	var texts []string
	for _, p := range pipelines {
		n := len(p.BestMS)
		if n == 0 || !(p.BestMS[0] > 0) || !(p.BestMS[n-1] > 0) {
			continue
		}
		text := p.Name + ": " + report.Time(1e6*p.BestMS[n-1])
		if n > 1 {
			text += fmt.Sprintf(", %s times as fast as the best of the first batch", report.Ratio(p.BestMS[0]/p.BestMS[n-1]))
		}
		texts = append(texts, text)
	}
	return report.Printable(strings.Join(texts, "; "))
}
