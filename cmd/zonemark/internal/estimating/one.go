package estimating

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/table"
	"zonemark/driver/report"
)

// fromFlags is the name, in messages, of the table of one row that flags make.
const fromFlags = "flags"

// estimateOne estimates the operation that flags describe.
func (f *Flags) estimateOne() error {
	from, err := f.open("")
	if err != nil {
		return err
	}
	id := f.identity("")
	t, err := f.row(from, id)
	if err != nil {
		return err
	}
	all, err := from.estimates(t, id)
	if err != nil {
		return err
	}
	e := all[0]
	for _, warning := range e.Warnings {
		f.Say("warning: %s", warning)
	}
	if f.format == rowtext.NDJSON {
		enc := json.NewEncoder(f.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(e)
	}
	return f.writeOne(e)
}

// row makes a table of one row of the flags.
func (f *Flags) row(from source, id costmodel.Identity) (*table.Table, error) {
	cells := map[string]string{}
	for _, setting := range f.columns {
		name, value, found := strings.Cut(setting, "=")
		if !found || name == "" || value == "" {
			return nil, fmt.Errorf("--set %q: want NAME=VALUE", setting)
		}
		cells[table.Canonical(name)] = value
	}
	for name, value := range f.shape {
		if f.Set.Changed(strings.ReplaceAll(name, "_", "-")) {
			cells[name] = strconv.FormatInt(*value, 10)
		}
	}
	if err := f.complete(from, id, cells); err != nil {
		return nil, err
	}
	return tableOf(cells)
}

// complete adds columns that follow from other flags. It returns an error with the name of a missing flag.
func (f *Flags) complete(from source, id costmodel.Identity, cells map[string]string) error {
	set := func(name, value string) {
		if cells[name] == "" && value != "" {
			cells[name] = value
		}
	}
	if fits, ok := from.(*models); ok {
		if err := fits.has(id); err != nil {
			return err
		}
		m := fits.only(id)
		if m != nil && m.Kind == costmodel.Products {
			return f.needed(m.Variables, "--set %s=…", cells)
		}
	}
	format := f.dataFormat
	if format == "" {
		format = formatOf(f.opName)
	}
	set("t", "1")
	set("math_fidelity", f.fidelity)
	set("vector_mode", f.vectorMode)
	set("input0_df", format)
	set("output_df", format)
	shape := []string{"m", "n", "r", "c"}
	if id.Operation == "matmul" || id.Operation == "depthwise" {
		shape = append(shape, "k", "u")
	}
	if err := f.needed(shape, "--%s", cells); err != nil {
		return err
	}
	if fits, ok := from.(*models); ok {
		return f.completeInputs(fits, id, cells)
	}
	if err := f.completeSparse(cells); err != nil {
		return err
	}
	if cells["output_df"] == "" {
		return fmt.Errorf("--format must name the data format, such as Float16_b or Bfp8_b")
	}
	if cells["math_fidelity"] == "" {
		return fmt.Errorf("--fidelity must name the math fidelity: LoFi, HiFi2, HiFi3 or HiFi4")
	}
	return nil
}

// completeSparse adds the counts of a sparse matmul that are not given. The first formula needs only that of tiles.
func (f *Flags) completeSparse(cells map[string]string) error {
	var missing []string
	for _, name := range []string{"nz_strips", "nz_ublocks"} {
		switch {
		case cells[name] == "":
			missing = append(missing, "--"+strings.ReplaceAll(name, "_", "-"))
		case cells["nz_tiles"] == "":
			return fmt.Errorf("--nz-tiles is missing: --%s is of a sparse matmul", strings.ReplaceAll(name, "_", "-"))
		}
	}
	if cells["nz_tiles"] == "" || len(missing) == 0 {
		return nil
	}
	for _, name := range []string{"nz_strips", "nz_ublocks"} {
		cells[name] = "0"
	}
	f.Say("note: estimated by the first formula for sparse matmul: the second one needs %s, too",
		strings.Join(missing, " and "))
	return nil
}

// formatOf returns the integer format that the name of an operation ends in, as those of sweeps do.
func formatOf(operation string) string {
	for _, f := range []string{"Int8", "Int32"} {
		if strings.HasSuffix(strings.ToLower(operation), "_"+strings.ToLower(f)) {
			return f
		}
	}
	return ""
}

// needed returns an error that names the first column without a value. flag says how it is given.
func (f *Flags) needed(columns []string, flag string, cells map[string]string) error {
	for _, name := range columns {
		if cells[name] == "" {
			return fmt.Errorf(flag+" is missing: the estimate needs it", name)
		}
	}
	return nil
}

// completeInputs adds the columns that a model's trees ask about: formats of all operands, and the operation.
func (f *Flags) completeInputs(fits *models, id costmodel.Identity, cells map[string]string) error {
	m := fits.only(id)
	if m == nil {
		probe, err := tableOf(cells)
		if err != nil {
			return err
		}
		descriptors, err := costmodel.Describe(probe, id)
		if err != nil {
			return err
		}
		if m, err = fits.find(costmodel.ModelName(descriptors[0].Destination())); err != nil {
			return err
		}
	}
	for _, in := range m.Inputs {
		name := in.Column
		switch {
		case strings.Contains(in.Term, "phases") && cells["math_fidelity"] == "":
			return errors.New("--fidelity is missing: the model asks about it" + fittedTexts(m, "math_fidelity"))
		case name == "" || cells[name] != "":
			continue
		case strings.HasSuffix(name, "_df") && cells["output_df"] != "":
			cells[name] = cells["output_df"]
		case strings.HasSuffix(name, "_type") && id.Operation != "":
			cells[name] = id.Operation
		default:
			return fmt.Errorf("--set %s=… is missing: the model asks about it%s", name, fittedTexts(m, name))
		}
	}
	return nil
}

// fittedTexts lists the values of a column to which a model was fitted.
func fittedTexts(m *costmodel.Model, column string) string {
	for _, r := range m.Ranges {
		switch {
		case r.Column == column && r.Texts != nil:
			return "; it was fitted to " + strings.Join(r.Texts, ", ")
		case r.Column == column:
			return fmt.Sprintf("; it was fitted to %g to %g", r.Low, r.High)
		}
	}
	return ""
}

// tableOf returns a table with one row of cells, by the names of their columns.
func tableOf(cells map[string]string) (*table.Table, error) {
	names := slices.Sorted(maps.Keys(cells))
	var row []string
	for _, name := range names {
		row = append(row, cells[name])
	}
	return table.New(fromFlags, names, [][]string{row}, nil)
}

// writeOne writes an estimate as text.
func (f *Flags) writeOne(e estimate) error {
	_, err := fmt.Fprintf(f.Out, "%s: %s %s\n  by              %s\n  expected error  %s\n  fitted range    %s\n",
		report.Printable(e.Operation), amount(e.Estimate), e.Unit, report.Printable(e.Source), errorText(e),
		report.Printable(rangeText(e)))
	return err
}

func errorText(e estimate) string {
	switch {
	case e.within != nil:
		return fmt.Sprintf("unknown outside of the fitted range; %s on average within it",
			report.Percent(*e.within/100))
	case e.Error == nil || math.IsNaN(*e.Error):
		return "unknown: " + e.unknown
	}
	text := report.Percent(*e.Error/100) + " on average"
	if e.High != nil {
		text += fmt.Sprintf(", 90 %% of rows between %s and %s", amount(*e.Low), amount(*e.High))
	}
	return text
}

func rangeText(e estimate) string {
	switch {
	case e.Outside == nil:
		return "unknown"
	case len(e.Outside) == 0:
		return "within"
	}
	return "outside: " + strings.Join(e.Outside, "; ")
}

// amount shows cycles or nanoseconds: whole numbers from 100.
func amount(v float64) string {
	if v >= 100 && v < 1<<53 {
		return report.Grouped(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
