package tuning

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"zonemark/driver/halide/adams2019"
	"zonemark/driver/report"
	"zonemark/driver/tune"
	"zonemark/invocations"
)

// learn trains the weights on all undisturbed samples so far, and finishes the batch.
func (t *tuner) learn(ctx context.Context, b *batchWork, used *adams2019.Weights) (tune.Report, error) {
	r := tune.Report{Batch: b.Number, Asked: int(t.Samples), Cut: len(b.records) < len(t.list)*(1+int(t.Samples))}
	for _, p := range t.list {
		r.Pipelines = append(r.Pipelines, t.pipelineReport(p, b))
	}
	samples, problems := b.SamplesUpTo()
	set, more := adams2019.NewSet(samples)
	t.tell(append(problems, more...))
	if err := t.validate(b.Batch, used, &r); err != nil {
		return r, err
	}
	updated, err := adams2019.Train(ctx, used, set, adams2019.Training{
		Epochs: int(t.Epochs), Rates: []float32{float32(t.Rate)}, Cores: int(t.Cores), Seed: uint32(b.Number),
		Progress: func(e adams2019.Epoch) {
			if e.Pipelines == 0 {
				return
			}
			epoch := tune.Epoch{Loss: e.Loss}
			if e.Validated > 0 {
				epoch.Validation = &e.Validation
			}
			r.Epochs = append(r.Epochs, epoch)
			t.progress("%s: training, epoch %d of %d", t.batchText(b.Batch), e.Number, t.Epochs)
		},
	})
	if err != nil {
		return r, fmt.Errorf("train after batch %d: %w", b.Number, err)
	}
	return r, b.Finish(updated, r)
}

// validate finds out how well the weights that the batch was scheduled with predict its times: they have not seen them.
func (t *tuner) validate(b *tune.Batch, used *adams2019.Weights, r *tune.Report) error {
	fresh, _ := b.Samples()
	set, _ := adams2019.NewSet(fresh)
	evaluations, err := adams2019.Evaluate(used, set, int(t.Cores))
	if err != nil {
		return fmt.Errorf("predict the samples of batch %d: %w", b.Number, err)
	}
	for _, e := range evaluations {
		i := slices.IndexFunc(t.list, func(p *pipeline) bool { return p.ID() == e.PipelineID })
		if i < 0 {
			continue
		}
		r.Pipelines[i].ValidationLoss = &e.Loss
		if !math.IsNaN(e.RankCorrelation) {
			r.Pipelines[i].RankCorrelation = &e.RankCorrelation
		}
	}
	return nil
}

// pipelineReport counts the records of a pipeline.
func (t *tuner) pipelineReport(p *pipeline, b *batchWork) tune.PipelineReport {
	r := tune.PipelineReport{Pipeline: p.Name}
	for _, name := range slices.Sorted(maps.Keys(b.records)) {
		one := new(b.records[name])
		switch {
		case one.Name == p.untuned.Name:
			if one.Status == invocations.OK && one.Timed() {
				untuned := tune.TimeOf(one)
				r.Untuned = &untuned
			} else {
				t.note("warning: %s: %s: %s", one.Name, one.Status, report.Printable(one.Error))
			}
		case t.owners[one.Name] == p.Name:
			r.Add(one, b.again[one.Name])
			if one.Status != invocations.OK && one.Status != invocations.Skipped {
				t.note("%s: %s: %s", one.Name, one.Status, report.Printable(one.Error))
			}
		}
	}
	return r
}

// tell tells of samples that are left out, once.
func (t *tuner) tell(problems []adams2019.Problem) {
	for _, p := range problems {
		if text := p.Err.Error(); !t.problems[text] {
			t.problems[text] = true
			t.note("warning: a sample is left out: %s", report.Printable(text))
		}
	}
}
