// Package trainingpage writes one page (HTML) about the training of a cost model: how the loss fell, and how well the
// times of each pipeline are predicted. The page needs no scripts and nothing from elsewhere. The package knows no cost
// model.
package trainingpage

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
)

//go:embed page.html.tmpl
var pageTemplate string

// Page is what the page shows. Texts are shown as they are.
type Page struct {
	Card drawing.Card
	// Losses are the losses of all epochs, in order, such as "training" and "validation". NaN is an epoch without one.
	Losses    []drawing.Curve
	Pipelines []Pipeline
}

// Pipeline is one pipeline with the schedules that were measured.
type Pipeline struct {
	Name string
	// The times of each schedule in milliseconds; both have the same length.
	MeasuredMS, PredictedMS []float64
	RankCorrelation         float64 // of both; NaN if it is not known
	// BestMS is the best time that was measured up to each batch, and in it.
	BestMS []float64
}

// view is a pipeline in the form in which the template shows it: a row of the table, and its drawings.
type view struct {
	Name, Schedules, Correlation, Best, Headline string
	Drawings                                     []drawing.Drawing
}

// mostPoints of a drawing: more say nothing and make the page slow.
const mostPoints = 2000

// Write writes the page.
func Write(w io.Writer, p Page) error {
	t, err := drawing.Template("training", pageTemplate)
	if err != nil {
		return err
	}
	data := struct {
		Page
		Title    string
		Table    drawing.Table
		Learning []drawing.Drawing
		Views    []view
	}{Page: p, Title: p.Card.WholeTitle(), Table: drawing.Table{ID: "pipelines", Titles: []string{"best", "rank correlation", "schedules"}}}
	if len(p.Losses) > 0 {
		data.Learning = append(data.Learning, drawing.Curves("Learning curve", "epoch", "loss", p.Losses, report.Number))
	}
	for _, pipeline := range p.Pipelines {
		if len(pipeline.MeasuredMS) != len(pipeline.PredictedMS) {
			return fmt.Errorf("pipeline %s: %d measured times and %d predicted ones", pipeline.Name,
				len(pipeline.MeasuredMS), len(pipeline.PredictedMS))
		}
		data.Views = append(data.Views, pipeline.view())
	}
	out := bufio.NewWriter(w)
	if err := t.Execute(out, data); err != nil {
		return err
	}
	return out.Flush()
}

func (p Pipeline) view() view {
	v := view{Name: p.Name, Schedules: report.Grouped(int64(len(p.MeasuredMS)))}
	if !math.IsNaN(p.RankCorrelation) {
		v.Correlation = fmt.Sprintf("%.3f", p.RankCorrelation)
	}
	if n := len(p.BestMS); n > 0 && p.BestMS[n-1] > 0 {
		v.Best = report.Time(1e6 * p.BestMS[n-1])
	}
	var notes []string
	var measured, predicted []float64
	step := max(1, (len(p.MeasuredMS)+mostPoints-1)/mostPoints)
	hidden := 0
	for i := 0; i < len(p.MeasuredMS); i += step {
		if p.MeasuredMS[i] > 0 && p.PredictedMS[i] > 0 {
			measured, predicted = append(measured, p.MeasuredMS[i]), append(predicted, p.PredictedMS[i])
		} else {
			hidden++
		}
	}
	if step > 1 {
		notes = append(notes, fmt.Sprintf("one of %d schedules is drawn", step))
	}
	if hidden > 0 {
		notes = append(notes, fmt.Sprintf("%d predicted as zero cannot be drawn", hidden))
	}
	v.Headline = strings.Join(notes, "; ")
	if len(measured) > 0 {
		v.Drawings = append(v.Drawings, drawing.Comparing(measured, predicted, "ms", report.Number))
	}
	if len(p.BestMS) > 0 {
		best := []drawing.Curve{{Name: "best", Values: p.BestMS}}
		v.Drawings = append(v.Drawings, drawing.Curves("Best schedule measured", "batch", "best time, ms", best, report.Number))
	}
	return v
}
