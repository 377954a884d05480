package driver

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// TestPartial: what is known of an invocation that is interrupted between its launches is told, and not in the journal.
func TestPartial(t *testing.T) {
	for _, paired := range []bool{false, true} {
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: int64(time.Second), CPU: -1})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun := 0
		e := Execution{Journal: JournalFile{Path: filepath.Join(t.TempDir(), "j")},
			Executor: &puppet{play: func(m *wire.Execute) *invocations.Result {
				if begun++; begun == 6 {
					cancel()
				}
				return quick(m)
			}}}
		if paired {
			e.Pairs = &Pairs{Of: of, Decided: func(int, [2][]invocations.Result, bool) bool { return false }}
		}
		outcome, err := Execute(ctx, plan, e)
		if !errors.Is(err, context.Canceled) || outcome.Records.Len() != 0 || outcome.Partial.Len() != 2 {
			t.Fatalf("in pairs: %t: %v, %d records and %d of interrupted invocations, want 2", paired, err,
				outcome.Records.Len(), outcome.Partial.Len())
		}
		for _, r := range recordstest.All(t, outcome.Partial) {
			if r.MedianNS == nil || *r.MedianNS <= 0 || *r.Launches < 2 {
				t.Errorf("in pairs: %t: %s: %+v", paired, r.Name, r)
			}
		}
		kept, err := journal.ReadFile(e.Journal.Path)
		if err != nil || kept.Records.Len() != 0 || kept.Complete {
			t.Errorf("in pairs: %t: the journal has %d results: %v", paired, kept.Records.Len(), err)
		}
	}
}
