package fitting

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/costmodel"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// note prints a message that is neither an error nor a warning.
func (f *Settings) note(format string, args ...any) {
	if !f.Quiet {
		f.Say(format, args...)
	}
}

// write writes a report to standard output or to the file that -o names.
func (f *Settings) write(report func(io.Writer) error) error {
	buffered := func(w io.Writer) error {
		out := bufio.NewWriter(w)
		if err := report(out); err != nil {
			return err
		}
		return out.Flush()
	}
	if f.output == "" {
		return buffered(f.Out)
	}
	if err := files.Replace(f.output, 0o644, buffered); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// report writes the models in the format that was asked for.
func (f *Settings) report(w io.Writer, fits []fitted) error {
	if f.format != rowtext.Text {
		return rowtext.Write(w, f.format, rowsOf(fits))
	}
	for i, fit := range fits {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fit.text(w)
	}
	if len(fits) > 1 {
		fmt.Fprintf(w, "\n%s\n", meanErrors(fits))
	}
	return nil
}

// text writes what is known of a model.
func (f fitted) text(w io.Writer) {
	m := f.model
	heading := []string{f.operation}
	if f.architecture != "" {
		heading = append(heading, f.architecture)
	}
	fmt.Fprintf(w, "%s: %s\n", report.Printable(f.table.File), report.Printable(strings.Join(heading, ", ")))
	line := func(name, text string) { fmt.Fprintf(w, "  %-11s %s\n", name, report.Printable(text)) }
	line("rows", fmt.Sprintf("%s in %s", report.Grouped(int64(m.Rows)), report.Counted(m.Groups, "shape")))
	line("model", fmt.Sprintf("%s of kind %s", m.Model, m.Kind))
	line("errors", errorsText(m))
	var tried []string
	for _, c := range m.Candidates {
		text := string(c.Model)
		if c.CrossValidated > 0 {
			text += " " + percent(c.CrossValidated)
		}
		tried = append(tried, text)
	}
	line("candidates", strings.Join(tried, ", "))
	line("weights", weightsText(slices.DeleteFunc(slices.Clone(m.Weights), unused)))
	if nnls := candidate(m, costmodel.NNLS); nnls != nil && m.Model != costmodel.NNLS {
		line("nnls", weightsText(nnls.Weights))
	}
	line("worst row", f.worstText())
	line("fitted", rangesText(m.Ranges))
	for _, warning := range m.Warnings {
		line("warning", strings.TrimPrefix(warning, f.table.File+": "))
	}
}

func errorsText(m *costmodel.Model) string {
	text := "in-sample " + percent(m.InSample.MAPE)
	if cv := m.CrossValidated; cv != nil {
		text = fmt.Sprintf("cross-validated %s (95 %% of rows below %s), %s", percent(cv.MAPE), percent(cv.P95), text)
	} else {
		text += ", not cross-validated: too few shapes"
	}
	if m.Extrapolated != nil {
		text += ", slowest 30 % of rows from the others " + percent(m.Extrapolated.MAPE)
	}
	return text
}

// tested returns the cross-validated errors of a model, or those in-sample if there are none.
func tested(m *costmodel.Model) *costmodel.Errors {
	if m.CrossValidated != nil {
		return m.CrossValidated
	}
	return &m.InSample
}

func candidate(m *costmodel.Model, name costmodel.Name) *costmodel.Candidate {
	for i := range m.Candidates {
		if m.Candidates[i].Model == name {
			return &m.Candidates[i]
		}
	}
	return nil
}

func (f fitted) worstText() string {
	worst := tested(f.model).Worst
	text := fmt.Sprintf("%s predicted, %s measured (%+.1f %%): %s", f.shown(worst.Predicted, false), f.shown(worst.Measured, true),
		100*(worst.Predicted/worst.Measured-1), invocations.ParametersText(worst.Parameters))
	if worst.Line > 0 {
		text = fmt.Sprintf("line %d: %s", worst.Line, text)
	}
	return text
}

func (s sweep) unitName() string { return cmp.Or(s.unit, "cycles") }

// shown shows a value with its unit: a time in a suitable one, and others with the name of theirs if it is asked for.
func (s sweep) shown(v float64, named bool) string {
	switch {
	case s.unit == unitNS:
		return report.Time(v)
	case named:
		return short(v) + " " + s.unitName()
	}
	return short(v)
}

// axisUnit returns the unit for the title of an axis; empty for times, whose values have units of their own.
func (s sweep) axisUnit() string {
	if s.unit == unitNS {
		return ""
	}
	return s.unitName()
}

func (s sweep) axisLabel() func(float64) string {
	if s.unit == unitNS {
		return report.ShortTime
	}
	return short
}

func weightsText(weights []costmodel.Weight) string {
	var texts []string
	for _, w := range weights {
		texts = append(texts, fmt.Sprintf("%s %s", weightName(w), number(w.Cycles)))
	}
	return strings.Join(texts, ", ")
}

// weightName returns what parameter files call a weight, or its term.
func weightName(w costmodel.Weight) string { return cmp.Or(w.Parameter, w.Term) }

// unused reports whether a term beyond the published ones costs nothing.
func unused(w costmodel.Weight) bool { return w.Parameter == "" && w.Cycles == 0 }

func rangesText(ranges []costmodel.Range) string {
	var texts []string
	for _, r := range ranges {
		switch {
		case r.Texts != nil:
			texts = append(texts, r.Column+" "+strings.Join(r.Texts, " or "))
		case r.Low == r.High:
			texts = append(texts, fmt.Sprintf("%s %g", r.Column, r.Low))
		default:
			texts = append(texts, fmt.Sprintf("%s %g to %g", r.Column, r.Low, r.High))
		}
	}
	return strings.Join(texts, ", ")
}

// meanErrors summarizes several fits.
func meanErrors(fits []fitted) string {
	var in, cv, nnls mean
	for _, f := range fits {
		in.add(f.model.InSample.MAPE)
		if f.model.CrossValidated != nil {
			cv.add(f.model.CrossValidated.MAPE)
		}
		if c := candidate(f.model, costmodel.NNLS); c != nil && c.CrossValidated > 0 {
			nnls.add(c.CrossValidated)
		}
	}
	text := fmt.Sprintf("%s: mean in-sample error %s", report.Counted(len(fits), "fit"), percent(in.value()))
	if cv.n > 0 {
		text += ", cross-validated " + percent(cv.value())
	}
	if nnls.n > 0 {
		text += fmt.Sprintf(" (nnls alone %s)", percent(nnls.value()))
	}
	return text
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *mean) value() float64 { return m.sum / float64(m.n) }

// percent shows a figure that is in percent already.
func percent(v float64) string { return report.Percent(v / 100) }

// number shows a weight with at most 8 decimals, as parameter files do.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 8, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// short shows a time: whole numbers from 100.
func short(v float64) string {
	if math.Abs(v) >= 100 && math.Abs(v) < 1<<53 {
		return report.Grouped(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
