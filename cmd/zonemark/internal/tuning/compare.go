package tuning

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/report"
	"zonemark/driver/tune"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// The fastest samples race once more, since the fastest of many short measurements is partly luck. Then the best of them
// is compared with the untuned schedule, in measurements that had no part in the choice.
const (
	mostCandidates  = 6
	compareLaunches = 12
	compareMinTime  = 500 * time.Millisecond
	compareMaxTime  = 6 * time.Second
	compareTimes    = 20 // as long as samples are measured at most, for those that are measured for some milliseconds
)

// chosen is a pipeline with the schedules that may be its best.
type chosen struct {
	*pipeline
	candidates []tune.Candidate
}

// compare chooses the best schedule of each pipeline after so many batches, compares it with the untuned one, and keeps
// it.
func (t *tuner) compare(ctx context.Context, batches int) (best []tune.Best, err error) {
	if err := t.folder.MakeBestFolder(); err != nil {
		return nil, err
	}
	var all []*chosen
	for _, p := range t.list {
		c := &chosen{p, t.folder.Candidates(p.Name, batches, mostCandidates)}
		if len(c.candidates) == 0 {
			t.note("%s: no schedule of it was measured", p.Name)
			continue
		}
		if err := t.complete(ctx, c); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if err := t.choose(ctx, all, batches); err != nil {
		return nil, err
	}
	rankings, err := t.rank(ctx, all, "compare", measuring.RaceOff, batches, func(c *chosen) []tune.Made {
		if c.candidates[0].Sample == (tune.Sample{}) {
			return nil
		}
		return []tune.Made{c.candidates[0].Made, c.untuned}
	})
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		b, err := t.keep(ctx, c, rankings[c.Name], batches)
		if err != nil {
			return nil, err
		}
		best = append(best, b)
	}
	return best, t.tidy(all, batches)
}

// ranked is a ranking with what was ranked.
type ranked struct {
	rows    []stats.Row
	records []invocations.Record
}

// rank measures schedules of each pipeline in turns, or has them race, and ranks them, by the pipelines' names.
func (t *tuner) rank(
	ctx context.Context, all []*chosen, what string, race measuring.Race, batches int, of func(*chosen) []tune.Made,
) (map[string]ranked, error) {
	var requests []invocations.Invocation
	for _, c := range all {
		for _, m := range of(c) {
			inv := t.request(c.pipeline, m)
			inv.Group = c.Name
			inv.Measure.Launches = compareLaunches
			inv.Measure.MinTimeNS = min(int64(compareMinTime), compareTimes*inv.Measure.MinTimeNS)
			inv.Measure.MaxTimeNS = min(int64(compareMaxTime), compareTimes*inv.Measure.MaxTimeNS)
			requests = append(requests, inv)
		}
	}
	rankings := map[string]ranked{}
	if len(requests) == 0 {
		return rankings, nil
	}
	t.task.Race = race
	plan, err := t.measuring.Resolve(ctx, requests)
	if err != nil {
		return nil, err
	}
	records, found, err := t.execute(ctx, plan, t.folder.ComparisonJournal(what, batches),
		func(*invocations.Record) error { return nil })
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if r.Status != invocations.OK {
			t.note("%s: %s: %s", r.Name, r.Status, report.Printable(r.Error))
		}
	}
	for _, r := range found {
		rankings[r.Group] = ranked{r.Rows, records}
	}
	return rankings, nil
}

// choose puts the best candidate of each pipeline first.
func (t *tuner) choose(ctx context.Context, all []*chosen, batches int) error {
	rankings, err := t.rank(ctx, all, "choose", measuring.RaceOn, batches, func(c *chosen) (list []tune.Made) {
		for _, one := range c.candidates {
			list = append(list, one.Made)
		}
		if len(list) == 1 {
			return nil // nothing to choose from
		}
		return list
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		r, known := rankings[c.Name]
		if !known {
			continue
		}
		name := r.rows[0].Name
		slices.SortStableFunc(c.candidates, func(a, b tune.Candidate) int {
			switch {
			case a.Made.Name == b.Made.Name:
				return 0
			case a.Made.Name == name:
				return -1
			case b.Made.Name == name:
				return 1
			}
			return 0
		})
	}
	return nil
}

// complete builds the libraries of candidates that were removed.
func (t *tuner) complete(ctx context.Context, c *chosen) error {
	for i, one := range c.candidates {
		if one.Made.HasLibrary() || one.Sample == (tune.Sample{}) {
			continue
		}
		b := t.folder.Batch(one.Sample.Batch)
		m, made, err := t.make(ctx, t.again(c.pipeline, one, one.Made.Name))
		if err != nil {
			return err
		}
		if c.candidates[i].Made, err = b.Keep(m, made); err != nil {
			return err
		}
		if err := forget(made); err != nil {
			return err
		}
	}
	return nil
}

// again returns the order that makes the schedule of a candidate once more, with a function of some name.
func (t *tuner) again(p *pipeline, c tune.Candidate, function string) order {
	return order{
		name: c.Made.Name, function: function, pipeline: p, params: c.Made.SchedulerParams, hash: c.Made.WeightsSHA256,
		weights: t.weightsOf(c), limit: max(firstTimeout, time.Duration(t.BuildTimeoutNS)),
	}
}

// weightsOf returns the path of the weights that a candidate was scheduled with.
func (t *tuner) weightsOf(c tune.Candidate) string {
	if c.Sample == (tune.Sample{}) {
		return t.folder.StartPath()
	}
	return t.folder.Batch(c.Sample.Batch).UsedWeights()
}

// keep keeps the best schedule of a pipeline, with a function that has the pipeline's name. It is the untuned one if
// that is faster than the tuned one.
func (t *tuner) keep(ctx context.Context, c *chosen, r ranked, batches int) (tune.Best, error) {
	best := tune.Best{Batches: batches}
	ratio, low, high := 1.0, 1.0, 1.0
	one := c.candidates[0]
	for _, row := range r.rows {
		record := &r.records[row.Variant]
		switch {
		case record.Name == c.untuned.Name:
			best.Untuned = tune.TimeOf(record)
			ratio, low, high = row.Ratio, row.Low, row.High
		default:
			best.Time = tune.TimeOf(record)
		}
	}
	if len(r.rows) > 0 && r.records[r.rows[0].Variant].Name == c.untuned.Name {
		one = tune.Candidate{Made: c.untuned}
		best.Time = best.Untuned
		ratio, low, high = 1, 1, 1
	}
	best.Compared(ratio, low, high)
	best.Sample = one.Made.Name
	t.progress("%s: building its best schedule", c.Name)
	m, made, err := t.make(ctx, t.again(c.pipeline, one, c.Name))
	if err != nil {
		return best, fmt.Errorf("build the best schedule of %s: %w", c.Name, err)
	}
	best.Made = m
	files := maps.Clone(made)
	files[tune.Weights] = t.weightsOf(one)
	kept, err := t.folder.KeepBest(best, files)
	if err != nil {
		return best, err
	}
	if kept.ScheduleKey() != one.Made.ScheduleKey() {
		return best, fmt.Errorf("%s: the generator has made another schedule of %s than the one that was measured; a "+
			"generator must not depend on chance or time", c.Name, filepath.Base(one.Made.Name))
	}
	if one.Sample == (tune.Sample{}) {
		return kept, nil // it stays in the cache, where the next run looks for it
	}
	return kept, forget(made)
}

// tidy removes libraries of samples that are none of the best.
func (t *tuner) tidy(all []*chosen, batches int) error {
	var names []string
	for _, c := range all {
		for _, one := range c.candidates {
			names = append(names, one.Made.Name)
		}
	}
	for n := 1; n <= batches; n++ {
		if err := t.folder.Batch(n).RemoveLibraries(names); err != nil {
			return err
		}
	}
	return nil
}
