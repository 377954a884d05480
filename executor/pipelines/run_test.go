package pipelines

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// stage is a made-up stage: it adds one to the number that it takes. All stages wait for each other in Invoke if meeting
// is set, which they can only do if they are at work at the same time.
type stage struct {
	before  *stage
	number  int
	seen    []int
	failing bool
	meeting chan struct{}
	turns   *atomic.Int64
}

func (s *stage) Take() error {
	s.number = s.before.number
	return nil
}

func (s *stage) Invoke() error {
	if s.failing {
		return errors.New("it stopped")
	}
	if s.before == nil {
		s.number = len(s.seen) * 100
	}
	s.number++
	s.seen = append(s.seen, s.number)
	if s.meeting != nil && s.turns.Add(1) == 3 { // the sample 1 of the first stage meets the sample 0 of the second one
		close(s.meeting)
	}
	if s.meeting != nil && (s.before == nil) == (len(s.seen) == 2) {
		select {
		case <-s.meeting:
		case <-time.After(10 * time.Second):
			return errors.New("the other stage does not work at the same time")
		}
	}
	return nil
}

func chain(n int) (all []*stage, workers []Worker) {
	for i := range n {
		s := &stage{}
		if i > 0 {
			s.before = all[i-1]
		}
		all, workers = append(all, s), append(workers, s)
	}
	return all, workers
}

// Each stage works on every sample, in their order, and hands on its result.
func TestRun(t *testing.T) {
	all, workers := chain(3)
	if err := Run(3, workers); err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		if want := []int{i + 1, i + 101, i + 201}; !slices.Equal(s.seen, want) {
			t.Errorf("stage %d: %v, want %v", i, s.seen, want)
		}
	}
}

// Stages work at the same time: one waits for what another one does with another sample.
func TestRunAtTheSameTime(t *testing.T) {
	all, workers := chain(2)
	meeting, turns := make(chan struct{}), new(atomic.Int64)
	for _, s := range all {
		s.meeting, s.turns = meeting, turns
	}
	if err := Run(2, workers); err != nil {
		t.Fatal(err)
	}
}

// No stage waits for another one that has failed.
func TestRunFails(t *testing.T) {
	for bad, want := range []string{"stage 0: it stopped", "stage 1: it stopped", "stage 2: it stopped"} {
		all, workers := chain(3)
		all[bad].failing = true
		if err := Run(4, workers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
