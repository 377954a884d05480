package tuning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver"
	"zonemark/driver/plan"
	"zonemark/driver/report/rank"
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

// makingPart is the part of what is left of the time limit that making samples may take: those that are made shall be
// measured, too.
const makingPart = 0.5

// leastChunk is how many samples are made and then measured at once, on a machine with few CPUs.
const leastChunk = 16

// batch makes, measures and learns from the samples of a batch, as far as that was not done before. The time limit may
// end it early; then the report says so, and it is empty if nothing was measured at all.
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
	work := &batchWork{
		Batch: b, weights: tune.WeightsHash(used), first: t.measuredBefore(b), schedules: map[string]schedule{},
		records: map[string]invocations.Record{}, again: map[string]bool{},
	}
	for chunk := range slices.Chunk(samples, max(leastChunk, 2*runtime.NumCPU())) {
		if t.over() {
			break
		}
		if err := t.chunk(ctx, work, chunk); err != nil {
			return tune.Report{}, err
		}
	}
	if len(work.records) == 0 {
		return tune.Report{}, nil
	}
	if err := t.measureAgain(ctx, work); err != nil {
		return tune.Report{}, err
	}
	return t.learn(ctx, work, used)
}

// batchWork is a batch in progress.
type batchWork struct {
	*tune.Batch
	weights   string                        // hash of those that it is scheduled with
	first     map[string]string             // names of the schedules that have a time or get one, by pipeline and key
	schedules map[string]schedule           // that are measured, by name
	records   map[string]invocations.Record // the last results, by name
	again     map[string]bool               // names of those that were measured a second time
}

// schedule is a schedule of a batch.
type schedule struct {
	pipeline *pipeline
	sample   tune.Sample // zero for the untuned one
	made     tune.Made
}

// note takes note of the time of a result, if it has one.
func (b *batchWork) note(r *invocations.Record) error {
	s, known := b.schedules[r.Name]
	switch {
	case !known || r.Status != invocations.OK || !r.Timed():
		return nil
	case s.sample == tune.Sample{}:
		return b.UntunedMeasured(s.made, tune.TimingOf(r))
	}
	return b.Measured(s.sample, s.made, tune.TimingOf(r))
}

// chunk makes and measures some samples of a batch.
func (t *tuner) chunk(ctx context.Context, b *batchWork, samples []tune.Sample) error {
	for _, s := range samples {
		t.owners[s.Name()] = s.Pipeline
	}
	making, stop := t.withinLimit(ctx, makingPart)
	defer stop()
	made, err := t.makeSamples(making, b, samples)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(made, func(m tune.Made) bool { return m.Name != "" }) {
		t.deadline = time.Now() // there is not enough left of it for a single sample
		return nil
	}
	timed, stopTimed := t.withinLimit(ctx, 1)
	defer stopTimed()
	records, err := t.measure(timed, b, samples, made)
	if err != nil && !errors.Is(context.Cause(timed), errTimeLimit) {
		return err
	}
	for _, r := range records {
		b.records[r.Name] = r
	}
	return ctx.Err()
}

// measure measures samples of a batch, and the untuned schedules in turns with the first of them. Samples are not put
// into groups, so that the journal gets a part of them after the other.
func (t *tuner) measure(
	ctx context.Context, b *batchWork, samples []tune.Sample, made []tune.Made,
) ([]invocations.Record, error) {
	requests, refused := t.divide(b, samples, made)
	plan, err := t.measuring.Resolve(ctx, requests)
	if err != nil {
		return nil, err
	}
	plan.Add(refused...)
	records, _, err := t.execute(ctx, plan, b.Journal(), b.note)
	return records, err
}

// divide returns what is to be measured, the untuned schedules first, and what is not: samples that could not be made,
// and those whose schedule has a time or gets one. It enters what is to be measured into the batch.
func (t *tuner) divide(
	b *batchWork, samples []tune.Sample, made []tune.Made,
) (requests []invocations.Invocation, refused []plan.Entry) {
	for _, p := range t.list {
		b.first[p.Name+p.untuned.ScheduleKey()] = p.untuned.Name
		b.schedules[p.untuned.Name] = schedule{pipeline: p, made: p.untuned}
		requests = append(requests, t.request(p, p.untuned))
	}
	for i, m := range made {
		if m.Name == "" { // the time limit was over
			continue
		}
		p := t.byName[samples[i].Pipeline]
		key := p.Name + m.ScheduleKey()
		switch earlier, twice := b.first[key]; {
		case m.Status != invocations.OK:
			refused = append(refused, t.refuse(p, m, m.Status, m.Error))
		case twice:
			refused = append(refused, t.refuse(p, m, invocations.Skipped, "it is the schedule of "+earlier+
				", which is measured once"))
		default:
			b.first[key] = m.Name
			b.schedules[m.Name] = schedule{p, samples[i], m}
			requests = append(requests, t.request(p, m))
		}
	}
	return requests, refused
}

// measuredBefore returns the schedules of earlier batches that have an undisturbed time, by pipeline and key.
func (t *tuner) measuredBefore(b *tune.Batch) map[string]string {
	first := map[string]string{}
	for _, p := range t.list {
		for _, c := range t.folder.Candidates(p.Name, b.Number-1, math.MaxInt) {
			if !c.Contended {
				first[p.Name+c.Made.ScheduleKey()] = c.Made.Name
			}
		}
	}
	return first
}

// request returns the invocation that measures a schedule.
func (t *tuner) request(p *pipeline, m tune.Made) invocations.Invocation {
	inv := t.requests[p.Name]
	inv.Name, inv.Runtime, inv.Function = m.Name, t.task.Base.Runtime, m.Function
	inv.Measure, inv.Limits = t.task.Base.Measure, t.task.Base.Limits
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
func (t *tuner) refuse(p *pipeline, m tune.Made, status invocations.Status, why string) plan.Entry {
	inv := t.request(p, m)
	inv.Seal()
	return plan.Entry{Invocation: inv, Verdict: status, Reason: why}
}

// execute measures what the journal does not hold, and calls done for each result that it holds then. It returns these
// results, and the rankings of their groups.
func (t *tuner) execute(
	ctx context.Context, plan *plan.Plan, journal string, done func(*invocations.Record) error,
) (list []invocations.Record, rankings []rank.Ranking, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t.measuring.Progress = func(p driver.Progress) {
		switch {
		case p.Record != nil && t.task.Verbose:
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
	list, unreadable := run.Records.List()
	err = errors.Join(err, unreadable, run.Records.Close())
	for i := range list { // what an earlier run has measured before it was killed
		err = errors.Join(err, done(&list[i]))
	}
	return list, run.Rankings, err
}
