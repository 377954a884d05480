package tuning

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"zonemark/driver/halide/adams2019"
	"zonemark/driver/report"
	"zonemark/driver/tune"
	"zonemark/invocations"
)

// showBatch reports what came of a batch.
func (t *tuner) showBatch(r tune.Report, earlier bool) {
	when := ""
	switch {
	case earlier:
		when = " (finished earlier)"
	case r.Cut:
		when = ", cut short by the time limit"
	}
	fmt.Fprintf(t.task.Out, "batch %d: %s of each pipeline%s\n", r.Batch, report.Counted(r.Asked, "sample"), when)
	if len(r.Epochs) == 0 {
		fmt.Fprintf(t.task.Out, "  nothing was learned: training needs %d schedules of a pipeline, measured undisturbed\n",
			adams2019.FewestSchedules)
	}
	w := tabwriter.NewWriter(t.task.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  pipeline\tmeasured\tduplicates\tfailed\tmeasured again\tcontended\tbest\tuntuned / best\t"+
		"validation loss\trank correlation")
	contended := 0
	for _, p := range r.Pipelines {
		best, ratio := "-", "-"
		if p.Best != nil {
			best = report.Time(p.Best.MedianNS)
			if p.Best.HighNS > 0 {
				best += fmt.Sprintf(" [%s, %s]", report.Time(p.Best.LowNS), report.Time(p.Best.HighNS))
			}
			if p.Untuned != nil {
				ratio = ratioText(p.Untuned.Ratio(*p.Best))
			}
		}
		contended += p.Contended
		fmt.Fprintf(w, "  %s\t%d\t%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", p.Pipeline, p.Measured, p.Duplicates,
			failedText(p), p.Again, p.Contended, best, ratio, figure(p.ValidationLoss), figure(p.RankCorrelation))
	}
	w.Flush()
	if contended > 0 {
		fmt.Fprintln(t.task.Out, "  contended: others used the machine when these were measured; training leaves them out")
	}
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

// ratioText shows a ratio with its interval, whose upper end may be open.
func ratioText(ratio, low, high float64) string {
	if math.IsInf(high, 1) {
		return fmt.Sprintf("%.3f (more than %.3f)", ratio, low)
	}
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
	fmt.Fprintf(t.task.Out, "\nbest schedules, compared with the untuned ones in %d launches each, in turns:\n",
		compareLaunches)
	w := tabwriter.NewWriter(t.task.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  pipeline\tuntuned\tbest\tuntuned / best\t\tschedule")
	for _, b := range o.Best {
		judgement := "not better by more than the interval"
		switch {
		case b.Sample == tune.UntunedName(b.Pipeline.Name):
			judgement = "the untuned schedule is the best"
		case b.Better():
			judgement = "better by more than the interval"
		}
		untuned, best := "-", "-"
		if b.Untuned.MedianNS > 0 {
			untuned, best = report.Time(b.Untuned.MedianNS), report.Time(b.Time.MedianNS)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\n", b.Pipeline.Name, untuned, best,
			ratioText(b.UntunedRatio, b.RatioLow, b.High()), judgement, report.Printable(b.File(tune.Schedule)))
	}
	w.Flush()
	fmt.Fprintf(t.task.Out, "\nweights: %s\n", report.Printable(o.Weights))
}
