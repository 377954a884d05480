package estimating

import (
	"cmp"
	"errors"
	"fmt"

	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/params"
	"zonemark/driver/costmodel/table"
	"zonemark/driver/report"
)

// The ways to estimate a sparse matmul: the two published formulas, and a model fitted to the file itself.
const (
	sparseV1  = "v1"
	sparseV2  = "v2"
	sparseFit = "fit"
)

// defaultArchitecture is the architecture on which the second formula for a sparse matmul was measured.
const defaultArchitecture = "wormhole_b0"

// evaluateSparse writes the rows of a sweep with the columns estimate and ratio.
func (f *Flags) evaluateSparse(input, output, method string) error {
	t, err := readInput(input, output)
	if err != nil {
		return err
	}
	if err := t.Require("nz_tiles"); err != nil {
		return err
	}
	all, err := f.sparseEstimates(t, input, method)
	if err != nil {
		return err
	}
	f.warn(all)
	added := estimateColumns(t, all)
	if err := f.writeTable(output, t, added); err != nil {
		return err
	}
	f.summarize(t, added[0].Number)
	return nil
}

func (f *Flags) sparseEstimates(t *table.Table, input, method string) ([]estimate, error) {
	id := costmodel.Identity{Operation: "matmul"}
	if method == sparseFit {
		return f.sparseFitted(t, input, id)
	}
	from := &parameters{file: params.SparseFile(cmp.Or(f.architectureOf(input), defaultArchitecture))}
	if f.params != "" {
		opened, err := f.open(input)
		if err != nil {
			return nil, err
		}
		from = opened.(*parameters)
	}
	from.firstSparse = method == sparseV1
	all, err := from.estimates(t, id)
	if err != nil || method == sparseV1 {
		return all, err
	}
	descriptors, err := costmodel.Describe(t, id)
	if err != nil {
		return nil, err
	}
	for i := range descriptors {
		if !descriptors[i].HasSecondFormula(from.file.Architecture) {
			all[i].Warnings = append(all[i].Warnings, "v2 does not hold for this architecture, format, "+
				"fidelity or without nz_strips and nz_ublocks: estimated by v1")
		}
	}
	return all, nil
}

// sparseFitted estimates by a fitted model: the one of --models, or one that is fitted to the rows themselves. Then
// each row is predicted by a model that was fitted without its shape.
func (f *Flags) sparseFitted(t *table.Table, input string, id costmodel.Identity) ([]estimate, error) {
	if f.models != "" {
		from, err := f.open(input)
		if err != nil {
			return nil, err
		}
		return from.estimates(t, id)
	}
	if t.Runtime == nil {
		return nil, fmt.Errorf("%w; or name a fitted model with --models", errors.Join(t.Require("runtime")))
	}
	m, err := costmodel.Fit(t, costmodel.Options{Kind: costmodel.Sparse, Operation: "matmul_sparse"})
	if err != nil {
		return nil, err
	}
	if m.Predicted == nil {
		return nil, fmt.Errorf("%s: %s are too few to hold some back; name a fitted model with --models", t.File,
			report.Counted(m.Groups, "shape"))
	}
	f.note("fitted model %s; each row is estimated by a model that has not seen its shape", m.Model)
	all := make([]estimate, t.Rows)
	for i, v := range m.Predicted {
		if !(v > 0) {
			return nil, fmt.Errorf("%s: the estimate is %g cycles", t.Where(i), v)
		}
		all[i] = estimate{Estimate: v}
	}
	return all, nil
}
