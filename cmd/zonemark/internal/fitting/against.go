package fitting

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/params"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// worstShown is how many comparisons the text format shows if --limit does not say.
const worstShown = 20

// compare compares the sweeps with published parameters and reports the worst mistakes first. It prints an error with a
// sweep and sets failed.
func (f *Settings) compare(sweeps []sweep, failed *bool) error {
	var all []costmodel.Comparison
	said := map[string]bool{}
	for _, s := range sweeps {
		compared, err := f.compareOne(s)
		if err != nil {
			if text := err.Error(); !said[text] { // all sweeps of an architecture have the same error
				f.Fail("--against: %s", text)
				said[text] = true
			}
			*failed = true
		}
		for _, c := range compared {
			for _, warning := range c.Warnings {
				if !said[warning] {
					f.Say("warning: %s", warning)
				}
				said[warning] = true
			}
		}
		all = append(all, compared...)
	}
	if len(all) == 0 {
		return nil
	}
	costmodel.WorstFirst(all)
	limit := f.limit
	if !f.limited && f.format == rowtext.Text {
		limit = worstShown
	}
	shown := rowtext.Limited(all, limit)
	err := f.write(func(w io.Writer) error { return f.writeComparisons(w, shown) })
	if hidden := len(all) - len(shown); hidden > 0 && err == nil {
		f.note("%s more not shown; --limit 0 shows all", report.Counted(hidden, "row"))
	}
	return err
}

func (f *Settings) compareOne(s sweep) ([]costmodel.Comparison, error) {
	if s.unit != "" || len(s.variables) > 0 {
		return nil, fmt.Errorf("%s: parameter files hold cycles by shape: compare sweeps (.csv), without --x",
			s.table.File)
	}
	info, err := os.Stat(f.against)
	if err != nil {
		return nil, err
	}
	var file *params.File
	switch {
	case !info.IsDir():
		if file, err = params.ReadFile(f.against); err == nil {
			file.Architecture = s.architecture
		}
	case s.architecture == "":
		err = fmt.Errorf("%s: its architecture is not known; name it: --arch", s.table.File)
	default:
		folder := f.against
		if newest, err := params.Versions(filepath.Dir(folder), s.architecture); err == nil && newest > 0 &&
			filepath.Base(folder) == s.architecture { // the architecture's own folder
			folder = filepath.Dir(folder)
		}
		file, err = params.ReadFolder(folder, s.architecture, 0)
	}
	if err != nil {
		return nil, err
	}
	return costmodel.Against(s.table, s.identity, file)
}

// mistake is a comparison in the csv and ndjson formats. Errors are in percent. Fields are added at the end.
type mistake struct {
	File         string   `csv:"file" json:"file"`
	Operation    string   `csv:"operation" json:"operation"`
	Architecture string   `csv:"architecture" json:"architecture"`
	UsedWeights  string   `csv:"weights_of" json:"weights_of"` // operation whose weights were used: nop if the parameters lack this one
	Set          string   `csv:"set" json:"set"`
	Rows         int      `csv:"rows" json:"rows"`
	MAPE         float64  `csv:"mape" json:"mape"`
	P95          float64  `csv:"p95" json:"p95"`
	Worst        float64  `csv:"worst" json:"worst"`
	Bias         float64  `csv:"bias" json:"bias"`               // median of estimated / measured - 1
	Fitted       *float64 `csv:"fitted_mape" json:"fitted_mape"` // mean error of the same formula, fitted to the rows, in percent
	WorstRow     worstRow `csv:"worst_row" json:"worst_row"`
}

func (f *Settings) writeComparisons(w io.Writer, all []costmodel.Comparison) error {
	if f.format == rowtext.Text {
		return f.comparisonTable(w, all)
	}
	var rows []mistake
	for _, c := range all {
		worst := c.Errors.Worst
		rows = append(rows, mistake{
			File: c.File, Operation: c.Asked, Architecture: c.Architecture, UsedWeights: c.Operation, Set: c.Set,
			Rows: c.Rows, MAPE: c.Errors.MAPE, P95: c.Errors.P95, Worst: c.Errors.Max, Bias: c.Bias,
			Fitted: invocations.Finite(c.Fitted), WorstRow: worstRow{
				worst.Line, worst.Measured, worst.Predicted, worst.Parameters, invocations.ParametersText(worst.Parameters),
			},
		})
	}
	return rowtext.Write(w, f.format, rows)
}

func (f *Settings) comparisonTable(w io.Writer, all []costmodel.Comparison) error {
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: "operation"}, {Title: "architecture"}, {Title: "weights"}, {Title: "rows", Right: true},
		{Title: "error", Right: true}, {Title: "p95", Right: true}, {Title: "bias", Right: true},
		{Title: "fitted", Right: true}, {Title: "file", Name: true},
		{Title: "worst row", Name: true, Spare: true},
	}}
	for _, c := range all {
		again := ""
		if !math.IsNaN(c.Fitted) {
			again = percent(c.Fitted)
		}
		worst := c.Errors.Worst
		t.Add(report.Printable(c.Asked), report.Printable(c.Architecture),
			report.Printable(costmodel.ModelName(c.Operation, c.Set)), report.Grouped(int64(c.Rows)),
			percent(c.Errors.MAPE), percent(c.Errors.P95), fmt.Sprintf("%+.1f %%", c.Bias), again,
			report.Printable(c.File),
			report.Printable(fmt.Sprintf("line %d: %s", worst.Line, invocations.ParametersText(worst.Parameters))))
	}
	if err := t.Write(w, cli.TerminalWidth(f.Out)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w,
		"\nerror: mean of |estimated - measured| / measured; bias: median of estimated / measured - 1;"+
			"\nfitted: the error of the same formula with weights that are fitted to these rows")
	return err
}
