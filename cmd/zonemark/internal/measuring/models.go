package measuring

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/modelexports"
	"zonemark/driver/bench"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// exported returns the requests with the programs of their models. A model is exported when its first request comes.
func (m *Measurement) exported(ctx context.Context, requests plan.Requests) plan.Requests {
	m.models = map[string]bench.Export{}
	return func(yield func(*invocations.Invocation, error) bool) {
		position := 0
		for r, err := range requests {
			if err == nil && r.Model != "" {
				if err = m.completeModel(ctx, r, m.modelFolder(position)); err != nil {
					err = fmt.Errorf("%s: %w", m.where(position, "", "model"), err)
				}
			}
			if err == nil {
				m.Runtimes.Infer(r)
			}
			if !yield(r, err) || err != nil {
				return
			}
			position++
		}
	}
}

// modelFolder returns the folder that paths of a request's model are relative to: that of its suite.
func (m *Measurement) modelFolder(request int) string {
	for _, o := range slices.Backward(m.origins) {
		if request >= o.from && o.suite != nil {
			return filepath.Dir(o.suite.File)
		}
	}
	return "."
}

// completeModel makes a request for a model one for the program that runs on the device.
func (m *Measurement) completeModel(ctx context.Context, r *invocations.Invocation, folder string) error {
	if of := m.Runtimes.OfModels(); !slices.Contains(of, r.Runtime) {
		return fmt.Errorf("a model needs a runtime that runs models: write runtime = %q, or an axis of %s", of[0],
			strings.Join(of, " and "))
	}
	request, models, err := bench.ParseRequest(r.Model, r.Parameters, folder)
	if err != nil {
		return err
	}
	export, err := m.export(ctx, request, models)
	if err != nil {
		return err
	}
	module := export.DeviceModule()
	of := export.Request(module)
	r.Function, r.Artifact.Path, r.Arguments = of.Function, of.Artifact.Path, of.Arguments
	r.FLOP = cmp.Or(r.FLOP, of.FLOP)
	r.Verify.Tolerance = cmp.Or(r.Verify.Tolerance, of.Verify.Tolerance)
	if len(r.Verify.Expected) == 0 {
		r.Verify.Expected = of.Verify.Expected
	}
	r.Model, r.Parameters = bench.RequestText(r.Model, r.Parameters), nil
	return nil
}

// export exports a model, unless this run has done so. models are the user's folders and files with models.
func (m *Measurement) export(ctx context.Context, r bench.Request, models []string) (bench.Export, error) {
	key := fmt.Sprintf("%+v %q", r, models)
	if x, done := m.models[key]; done {
		return x, nil
	}
	progress := m.Installing(m.Quiet)
	defer progress.Line.Clear()
	maker := &modelexports.Maker{
		Progress: progress, Variables: m.Variables, Models: models, Timeout: modelexports.DefaultTimeout,
		Verbose: m.Verbose, Confine: m.Hosting(m.Variables, "").Exporting(),
	}
	if err := maker.CheckName(ctx, r.Model); err != nil {
		return bench.Export{}, err
	}
	x, err := maker.Export(ctx, r)
	if err == nil {
		m.models[key] = x
	}
	return x, err
}
