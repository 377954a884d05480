package report

import (
	"errors"
	"io"
	"testing"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

var errGone = errors.New("the disk is gone")

// failing holds the records of a run. Those from a read on cannot be read.
type failing struct {
	records []invocations.Record
	reads   int // that are left
}

func (f *failing) Read(place int) (*invocations.Record, error) {
	if f.reads--; f.reads < 0 {
		return nil, errGone
	}
	r := f.records[place]
	return &r, nil
}

func (f *failing) Status(place int) invocations.Status { return f.records[place].Status }
func (f *failing) Group(place int) string              { return f.records[place].Group }
func (f *failing) Run(int) int                         { return 0 }
func (f *failing) Close() error                        { return nil }

// TestUnreadable lets each read of a result fail once: every format, and ranking, return the error.
func TestUnreadable(t *testing.T) {
	for name, whole := range map[string]Run{"terminal": terminalRun(), "launches": launchRun(true), "hosts": spreadRun(),
		"emulated": emulatedRun(), "untimed": untimedRun()} {
		whole.Verbose, whole.Plot, whole.Counters = true, true, true
		uses := map[string]func(Run) error{"rank": func(run Run) error {
			_, err := rank.Groups(run.Records, stats.RankOptions{})
			return err
		}}
		for _, f := range Formats() {
			uses[f.Name] = func(run Run) error { return f.Write(io.Discard, run) }
		}
		for what, use := range uses {
			n := 0
			for ; ; n++ {
				store := &failing{list(whole), n}
				run := whole
				run.Records = invocations.StoredRecords(len(store.records), store)
				err := use(run)
				if err == nil && store.reads >= 0 {
					break
				}
				if !errors.Is(err, errGone) {
					t.Fatalf("%s: %s: read %d fails: %v", name, what, n, err)
				}
			}
			if n < len(list(whole)) && what != "rank" {
				t.Errorf("%s: %s reads %d of %d records", name, what, n, len(list(whole)))
			}
		}
	}
}
