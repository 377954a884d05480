package tuning

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"zonemark/driver/files"
	"zonemark/driver/halide/adams2019"
	"zonemark/driver/halide/trainingpage"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/driver/tune"
	"zonemark/invocations"
)

// showBatch reports what came of a batch.
func (t *tuner) showBatch(r tune.Report, earlier bool) {
	when := ""
	if earlier {
		when = " (finished earlier)"
	}
	fmt.Fprintf(t.flags.Out, "batch %d: %s of each pipeline%s\n", r.Batch, report.Counted(r.Asked, "sample"), when)
	w := tabwriter.NewWriter(t.flags.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  pipeline\tmeasured\tduplicates\tfailed\tcontended\tbest\tuntuned / best\tvalidation loss\t"+
		"rank correlation")
	for _, p := range r.Pipelines {
		best, ratio := "-", "-"
		if p.Best != nil {
			best = fmt.Sprintf("%s [%s, %s]", report.Time(p.Best.MedianNS), report.Time(p.Best.LowNS),
				report.Time(p.Best.HighNS))
			if p.Untuned != nil {
				ratio = ratioText(p.Untuned.Ratio(*p.Best))
			}
		}
		fmt.Fprintf(w, "  %s\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t%s\n", p.Pipeline, p.Measured, p.Duplicates, failedText(p),
			p.Contended, best, ratio, figure(p.ValidationLoss), figure(p.RankCorrelation))
	}
	w.Flush()
}

func failedText(p tune.PipelineReport) string {
	if len(p.Failed) == 0 {
		return "0"
	}
	var words []string
	for _, status := range invocations.Statuses {
		if n := p.Failed[status]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(words, ", ")
}

func ratioText(ratio, low, high float64) string {
	return fmt.Sprintf("%.3f [%.3f, %.3f]", ratio, low, high)
}

// figure shows a figure that may be missing.
func figure(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *v)
}

// showBest reports the best schedules and how to use what was learned.
func (t *tuner) showBest(o Outcome) {
	fmt.Fprintf(t.flags.Out, "\nbest schedules, compared with the untuned ones in %d launches each, in turns:\n",
		compareLaunches)
	w := tabwriter.NewWriter(t.flags.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  pipeline\tuntuned\tbest\tuntuned / best\t\tschedule")
	for _, b := range o.Best {
		judgement := "not better by more than the interval"
		if b.Better() {
			judgement = "better by more than the interval"
		}
		untuned, best := "-", "-"
		if b.Untuned.MedianNS > 0 {
			untuned, best = report.Time(b.Untuned.MedianNS), report.Time(b.Time.MedianNS)
		} else {
			judgement = "the untuned schedule is the best"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\n", b.Pipeline.Name, untuned, best,
			ratioText(b.UntunedRatio, b.RatioLow, b.RatioHigh), judgement, report.Printable(b.File(tune.Schedule)))
	}
	w.Flush()
	fmt.Fprintf(t.flags.Out, "\nweights: %s\n", report.Printable(o.Weights))
}

// plot writes the page of --plot.
func (t *tuner) plot(batches int) error {
	page := trainingpage.Page{Title: "Tuning of Halide pipelines"}
	training := drawing.Curve{Name: "training"}
	validation := drawing.Curve{Name: "validation"}
	best := map[string][]float64{}
	for n := 1; n <= batches; n++ {
		r, _ := t.folder.Batch(n).Report()
		for _, e := range r.Epochs {
			training.Values = append(training.Values, e.Loss)
			v := math.NaN()
			if e.Validation != nil {
				v = *e.Validation
			}
			validation.Values = append(validation.Values, v)
		}
		for _, p := range r.Pipelines {
			so := best[p.Pipeline]
			now := math.NaN()
			for _, time := range []*tune.Time{p.Best, p.Untuned} {
				if time != nil && !(now <= time.MedianNS/1e6) {
					now = time.MedianNS / 1e6
				}
			}
			if len(so) > 0 && !(now <= so[len(so)-1]) {
				now = so[len(so)-1]
			}
			best[p.Pipeline] = append(so, now)
		}
	}
	page.Losses = []drawing.Curve{training}
	if slices.ContainsFunc(validation.Values, func(v float64) bool { return !math.IsNaN(v) }) {
		page.Losses = append(page.Losses, validation)
	}
	updated, err := t.folder.Batch(batches).Updated()
	if err != nil {
		return err
	}
	samples, _ := t.folder.Batch(batches).SamplesUpTo()
	set, _ := adams2019.NewSet(samples)
	evaluations, err := adams2019.Evaluate(updated, set, int(t.Cores))
	if err != nil {
		return err
	}
	names := t.folder.PipelineNames()
	for _, e := range evaluations {
		page.Pipelines = append(page.Pipelines, trainingpage.Pipeline{
			Name: names[e.PipelineID], MeasuredMS: e.MeasuredMS, PredictedMS: e.PredictedMS,
			RankCorrelation: e.RankCorrelation, BestMS: best[names[e.PipelineID]],
		})
	}
	page.Facts = []trainingpage.Fact{
		{Name: "machine", Text: t.target},
		{Name: "Halide", Text: t.tools.Version},
		{Name: "schedules made for", Text: fmt.Sprintf("%d threads", t.Parallelism)},
		{Name: "batches", Text: fmt.Sprint(batches)},
		{Name: "learning rate", Text: fmt.Sprint(t.Rate)},
	}
	return files.Replace(t.Plot, 0o666, func(w io.Writer) error { return trainingpage.Write(w, page) })
}
