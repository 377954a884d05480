package tuning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver"
	"zonemark/driver/halide/adams2019"
	"zonemark/driver/report"
	"zonemark/driver/tune"
	"zonemark/executor/halide"
	"zonemark/invocations"
)

// batchText names a batch for people.
func (t *tuner) batchText(b *tune.Batch) string {
	if t.Batches > 0 {
		return fmt.Sprintf("batch %d of %d", b.Number, t.Batches)
	}
	return fmt.Sprintf("batch %d", b.Number)
}

// batch makes, measures and learns from the samples of a batch, as far as that was not done before.
func (t *tuner) batch(ctx context.Context, b *tune.Batch) (tune.Report, error) {
	used, err := b.Begin()
	if err != nil {
		return tune.Report{}, err
	}
	var names []string
	for _, p := range t.list {
		names = append(names, p.Name)
	}
	samples := tune.Samples(names, b.Number, int(t.Samples))
	for _, s := range samples {
		t.owners[s.Name()] = s.Pipeline
	}
	within, stop := t.withinLimit(ctx)
	defer stop()
	made, err := t.makeSamples(within, b, samples, tune.WeightsHash(used))
	if err != nil {
		return tune.Report{}, err
	}
	records, err := t.measure(within, b, samples, made)
	if err != nil && !errors.Is(context.Cause(within), errTimeLimit) {
		return tune.Report{}, err
	}
	if ctx.Err() != nil {
		return tune.Report{}, ctx.Err()
	}
	return t.learn(ctx, b, used, records)
}

// measure measures the samples of a batch, and the untuned schedules in turns with them. Samples are not put into
// groups, so that the journal gets a part of them after the other.
func (t *tuner) measure(
	ctx context.Context, b *tune.Batch, samples []tune.Sample, made []tune.Made,
) ([]invocations.Record, error) {
	var requests []invocations.Invocation
	var refused []driver.Planned
	bySample := map[string]int{}
	first := t.measuredBefore(b)
	for _, p := range t.list {
		first[p.Name+p.untuned.ScheduleKey()] = p.untuned.Name
		requests = append(requests, t.request(p, p.untuned))
	}
	for i, m := range made {
		if m.Name == "" { // the time limit was over
			continue
		}
		p := t.byName[samples[i].Pipeline]
		bySample[m.Name] = i
		key := p.Name + m.ScheduleKey()
		switch earlier, twice := first[key]; {
		case m.Status != invocations.OK:
			refused = append(refused, t.refuse(p, m, m.Status, m.Error))
		case twice:
			refused = append(refused, t.refuse(p, m, invocations.Skipped, "it is the schedule of "+earlier+
				", which is measured once"))
		default:
			first[key] = m.Name
			requests = append(requests, t.request(p, m))
		}
	}
	plan, err := t.measuring.Resolve(ctx, requests)
	if err != nil {
		return nil, err
	}
	plan.List = append(plan.List, refused...)
	return t.execute(ctx, plan, b.Journal(), func(r *invocations.Record) error {
		if r.Status != invocations.OK || !r.Timed() {
			return nil
		}
		if i, known := bySample[r.Name]; known {
			return b.Measured(samples[i], made[i], *r.MedianNS)
		}
		for _, p := range t.list {
			if r.Name == p.untuned.Name {
				return b.UntunedMeasured(p.untuned, *r.MedianNS)
			}
		}
		return nil
	})
}

// measuredBefore returns the schedules of earlier batches that have a time, by pipeline and key.
func (t *tuner) measuredBefore(b *tune.Batch) map[string]string {
	first := map[string]string{}
	for _, p := range t.list {
		for _, c := range t.folder.Candidates(p.Name, b.Number-1, math.MaxInt) {
			first[p.Name+c.Made.ScheduleKey()] = c.Made.Name
		}
	}
	return first
}

// request returns the invocation that measures a schedule.
func (t *tuner) request(p *pipeline, m tune.Made) invocations.Invocation {
	inv := t.requests[p.Name]
	inv.Name, inv.Runtime, inv.Function = m.Name, t.flags.Base.Runtime, m.Function
	inv.Measure, inv.Limits = t.flags.Base.Measure, t.flags.Base.Limits
	inv.Artifact = invocations.Artifact{Path: m.File(tune.Library)}
	if threads := t.given[halide.OptionTaskThreads]; threads != "" {
		inv.Artifact.Options = map[string]string{halide.OptionTaskThreads: threads}
	}
	if m.Name == p.untuned.Name && p.benchmark == nil {
		inv.Verify.Reference = "" // it is the reference
	}
	return inv
}

// refuse returns the entry of a plan for a sample that is not measured.
func (t *tuner) refuse(p *pipeline, m tune.Made, status invocations.Status, why string) driver.Planned {
	inv := t.request(p, m)
	inv.Seal()
	return driver.Planned{Invocation: inv, Verdict: status, Reason: why}
}

// execute measures what the journal does not hold, and calls done for each result that it holds then.
func (t *tuner) execute(
	ctx context.Context, plan *driver.Plan, journal string, done func(*invocations.Record) error,
) ([]invocations.Record, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t.measuring.Progress = func(p driver.Progress) {
		switch {
		case p.Record != nil && t.flags.Verbose:
			t.note("%s", measuring.ResultLine(p.Record))
			fallthrough
		case p.Record != nil:
			if err := done(p.Record); err != nil {
				stop(err)
			}
		default:
			t.progress("%s", hosting.ProgressText(p))
		}
	}
	t.measuring.Journal = driver.JournalFile{Path: journal, Resume: true, Silent: true}
	run, err := t.measuring.Execute(ctx, plan)
	for i := range run.Records { // what an earlier run has measured before it was killed
		err = errors.Join(err, done(&run.Records[i]))
	}
	return run.Records, err
}

// learn trains the weights on all samples so far, and finishes the batch.
func (t *tuner) learn(
	ctx context.Context, b *tune.Batch, used *adams2019.Weights, records []invocations.Record,
) (tune.Report, error) {
	r := tune.Report{Batch: b.Number, Asked: int(t.Samples)}
	for _, p := range t.list {
		r.Pipelines = append(r.Pipelines, t.pipelineReport(p, records))
	}
	samples, problems := b.SamplesUpTo()
	set, more := adams2019.NewSet(samples)
	t.tell(append(problems, more...))
	if err := t.validate(b, used, &r); err != nil {
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
			t.progress("%s: training, epoch %d of %d", t.batchText(b), e.Number, t.Epochs)
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
func (t *tuner) pipelineReport(p *pipeline, records []invocations.Record) tune.PipelineReport {
	r := tune.PipelineReport{Pipeline: p.Name}
	for i := range records {
		one := &records[i]
		switch {
		case one.Name == p.untuned.Name:
			if one.Status == invocations.OK && one.Timed() {
				untuned := tune.TimeOf(one)
				r.Untuned = &untuned
			} else {
				t.note("warning: %s: %s: %s", one.Name, one.Status, report.Printable(one.Error))
			}
		case t.owners[one.Name] == p.Name:
			r.Add(one)
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
