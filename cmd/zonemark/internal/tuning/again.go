package tuning

import (
	"context"
	"errors"
	"maps"
	"slices"

	"zonemark/driver/report"
	"zonemark/driver/tune"
	"zonemark/invocations"
)

// measureAgain measures once more, when all others are measured, what others have disturbed. What they disturb again is
// left out of training.
func (t *tuner) measureAgain(ctx context.Context, b *batchWork) error {
	var requests []invocations.Invocation
	for _, name := range slices.Sorted(maps.Keys(b.records)) {
		r := b.records[name]
		if s, known := b.schedules[name]; known && r.Status == invocations.OK && tune.TimingOf(&r).Contended {
			requests = append(requests, t.request(s.pipeline, s.made))
		}
	}
	if len(requests) == 0 || t.over() {
		return nil
	}
	t.progress("%s: measuring %s again", t.batchText(b.Batch), report.Counted(len(requests), "disturbed schedule"))
	limited, stop := t.withinLimit(ctx, 1)
	defer stop()
	plan, err := t.measuring.Resolve(limited, requests)
	if err != nil {
		return err
	}
	records, _, err := t.execute(limited, plan, b.AgainJournal(), b.note)
	if err != nil && !errors.Is(context.Cause(limited), errTimeLimit) {
		return err
	}
	for _, r := range records {
		b.records[r.Name], b.again[r.Name] = r, true
	}
	return ctx.Err()
}
