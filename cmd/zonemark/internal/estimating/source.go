package estimating

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/params"
	"zonemark/driver/costmodel/table"
	"zonemark/invocations/files"
	"zonemark/invocations/spelling"
)

// estimate is the result for one row.
type estimate struct {
	Operation string   `json:"operation"`
	Source    string   `json:"source"` // the file, and the operation in it whose weights or model were used
	Estimate  float64  `json:"estimate"`
	Unit      string   `json:"unit"`
	Low       *float64 `json:"low"`  // 90 % of rows of the cross-validation lie between low and high
	High      *float64 `json:"high"` // null if the source does not say
	Error     *float64 `json:"expected_error_percent"`
	Outside   []string `json:"outside"` // why it is outside of the fitted range; null if that is unknown
	Warnings  []string `json:"warnings,omitempty"`

	unknown string // why there is no expected error
	// the expected error of rows within the fitted range, if this one is outside and its own is unknown
	within *float64
}

// source gives estimates for the rows of a table.
type source interface {
	estimates(t *table.Table, id costmodel.Identity) ([]estimate, error)
}

// open opens what --params or --models names.
func (f *Flags) open(input string) (source, error) {
	flag, instead := "--params", "a parameter file (.yaml), or a folder of them"
	if f.models != "" {
		flag, instead = "--models", "a file of fitted models (.json), or its folder"
	}
	path := f.params + f.models // one of them is empty
	if err := cli.CheckExists(path, instead); err != nil {
		return nil, fmt.Errorf("%s %w", flag, err)
	}
	architecture := f.architectureOf(path, input)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && architecture == "" {
		return nil, fmt.Errorf("%s: the architecture of the parameters is not known; name it: --arch", path)
	}
	if !info.IsDir() && f.version != 0 {
		return nil, fmt.Errorf("%s: --version goes with a folder of versions", path)
	}
	if f.models != "" {
		return f.openModels(path, architecture, info.IsDir())
	}
	var file *params.File
	if info.IsDir() {
		file, err = params.ReadFolder(path, architecture, f.version)
	} else if file, err = params.ReadFile(path); err == nil {
		file.Architecture = architecture
	}
	if err != nil {
		return nil, err
	}
	for _, text := range file.Unusual() {
		f.Say("warning: %s", text)
	}
	fits, err := readModels(costmodel.ModelsBeside(file.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &parameters{file: file, fits: fits, fidelity: f.fidelity, format: f.dataFormat}, nil
}

func (f *Flags) openModels(path, architecture string, folder bool) (source, error) {
	if folder {
		newest, err := params.Versions(path, architecture)
		if err != nil {
			return nil, err
		}
		if f.version > 0 {
			newest = f.version
		}
		parameterFile := params.SingleFile(path, architecture)
		if newest > 0 {
			parameterFile = params.VersionFile(path, architecture, newest)
		}
		path = costmodel.ModelsBeside(parameterFile)
	}
	if err := cli.CheckExists(path, "a file of fitted models (.json), or its folder"); err != nil {
		return nil, fmt.Errorf("--models %w", err)
	}
	fits, err := readModels(path)
	if err != nil {
		return nil, err
	}
	return &models{name: path, fits: fits, named: f.opName != "" || f.opType != ""}, nil
}

func readModels(path string) ([]*costmodel.Model, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return costmodel.ReadModels(file, path)
}

// parameters are a parameter file with the models that were fitted with it, which know its errors.
type parameters struct {
	file             *params.File
	fits             []*costmodel.Model
	fidelity, format string // of rows that do not say
	firstSparse      bool   // the first formula for a sparse matmul, also where the second applies
}

func (p *parameters) estimates(t *table.Table, id costmodel.Identity) ([]estimate, error) {
	descriptors, err := costmodel.Describe(t, id)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range p.file.Operations {
		names = append(names, o.Name)
	}
	out := make([]estimate, t.Rows)
	outside := map[*costmodel.Model][][]string{}
	for i := range descriptors {
		d := &descriptors[i]
		if d.Fidelity == "" {
			d.Fidelity = p.fidelity
		}
		if d.Format == "" {
			d.Format = p.format
		}
		apply := p.file.Estimate
		if p.firstSparse {
			apply = p.file.EstimateSparseV1
		}
		e, err := apply(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Where(i), err)
		}
		name := costmodel.ModelName(e.Operation, e.Set)
		out[i] = estimate{
			Operation: d.Operation, Source: fmt.Sprintf("%s: %s", p.file.Name, name), Estimate: float64(e.Cycles),
			Unit: "cycles", Warnings: e.Warnings,
			unknown: "no fitted model of these weights lies beside the parameters",
		}
		if asked, _ := d.Destination(); asked != e.Operation {
			out[i].Warnings[0] += spelling.Suggest(asked, names)
		}
		p.addErrors(&out[i], name, t, i, outside)
	}
	return out, nil
}

// addErrors adds the errors that were found when the weights were fitted. outside keeps results that were computed for
// whole tables.
func (p *parameters) addErrors(e *estimate, name string, t *table.Table, row int,
	outside map[*costmodel.Model][][]string) {
	at := slices.IndexFunc(p.fits, func(m *costmodel.Model) bool { return m.Operation == name })
	if at < 0 {
		return
	}
	m := p.fits[at]
	_, model, err := m.Parameters()
	if err != nil {
		return
	}
	for i := range m.Candidates {
		if c := &m.Candidates[i]; c.Model == model && c.CrossValidated > 0 {
			e.Error = &c.CrossValidated
		}
	}
	if outside[m] == nil {
		outside[m] = m.Outside(t)
	}
	if e.Outside = reasons(outside[m][row]); len(e.Outside) > 0 {
		e.within, e.Error = e.Error, nil
	}
}

// reasons returns outside, or an empty list if it is nil. An empty list means that a row is within the fitted range.
func reasons(outside []string) []string {
	if outside == nil {
		return []string{}
	}
	return outside
}

// models are fitted models. named reports whether the user named an operation. If not, a file's name may name it.
type models struct {
	name  string
	fits  []*costmodel.Model
	named bool
}

func (s *models) estimates(t *table.Table, id costmodel.Identity) ([]estimate, error) {
	if m := s.only(id); m != nil {
		return s.apply(m, t, id.Operation)
	}
	descriptors, err := costmodel.Describe(t, id)
	if err != nil {
		return nil, err
	}
	var names []string // in the order in which they come
	rows := map[string][]int{}
	for i := range descriptors {
		name := costmodel.ModelName(descriptors[i].Destination())
		if rows[name] == nil {
			names = append(names, name)
		}
		rows[name] = append(rows[name], i)
	}
	out := make([]estimate, t.Rows)
	for _, name := range names {
		m, err := s.find(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Where(rows[name][0]), err)
		}
		part, err := s.apply(m, t.Select(rows[name]), descriptors[rows[name][0]].Operation)
		if err != nil {
			return nil, err
		}
		for i, row := range rows[name] {
			out[row] = part[i]
		}
	}
	return out, nil
}

// only returns the model for all rows: the only model if the user named no operation, or the named model of products.
// It returns nil if the model depends on the row.
func (s *models) only(id costmodel.Identity) *costmodel.Model {
	if len(s.fits) == 1 && !s.named {
		return s.fits[0]
	}
	for _, m := range s.fits {
		if m.Kind == costmodel.Products && strings.EqualFold(m.Operation, id.Operation) {
			return m
		}
	}
	return nil
}

// has returns an error if the user named an operation that no model is of.
func (s *models) has(id costmodel.Identity) error {
	of := func(m *costmodel.Model) bool {
		operation, _, _ := strings.Cut(m.Operation, "/")
		return strings.EqualFold(operation, id.Operation) || strings.HasPrefix(operation, id.Operation+"_")
	}
	if id.Operation == "" || slices.ContainsFunc(s.fits, of) {
		return nil
	}
	_, err := s.find(id.Operation)
	return err
}

// find returns the model of an attribute set, or of its operation if that has one model only.
func (s *models) find(name string) (*costmodel.Model, error) {
	operation, _, _ := strings.Cut(name, "/")
	var names []string
	var found, same []*costmodel.Model
	for _, m := range s.fits {
		names = append(names, m.Operation)
		if m.Operation == name {
			found = append(found, m)
		} else if m.Operation == operation {
			same = append(same, m)
		}
	}
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("%s: %d models of %s: fit their sweeps together", s.name, len(found), name)
	case len(found) == 1:
		return found[0], nil
	case len(same) == 1:
		return same[0], nil
	}
	return nil, fmt.Errorf("%s: no model of %q%s", s.name, name, spelling.SuggestOrList(name, names))
}

func (s *models) apply(m *costmodel.Model, t *table.Table, operation string) ([]estimate, error) {
	estimates, err := m.Estimate(t)
	if err != nil {
		return nil, err
	}
	if operation == "" {
		operation = m.Operation
	}
	text := fmt.Sprintf("%s: %s, model %s", filepath.Clean(s.name), m.Operation, m.Model)
	unit := m.Unit
	if unit == "" {
		unit = "cycles"
	}
	out := make([]estimate, len(estimates))
	for i := range estimates {
		e := &estimates[i]
		out[i] = estimate{
			Operation: operation, Source: text, Estimate: e.Cycles, Unit: unit, Outside: reasons(e.Outside),
		}
		if e.High > 0 {
			out[i].Low, out[i].High = &e.Low, &e.High
			out[i].Error = &e.ErrorPercent
		} else {
			out[i].unknown = "too few rows were fitted to test the model"
		}
	}
	return out, nil
}
