package pipelines

import (
	"errors"
	"fmt"
	"sync"
)

// Worker is a stage at work. Its methods are called by one goroutine at a time, not always by the same one.
type Worker interface {
	// Take makes results of the stage before the inputs for the next sample. That stage waits meanwhile. The first stage
	// takes nothing.
	Take() error
	// Invoke works on a sample until its results are there.
	Invoke() error
}

// link hands a sample to a stage. The stage takes it as soon as it has ended its own; then the one before it may begin
// another.
type link struct{ ready, taken chan struct{} }

// Run sends samples through all stages, each of which works on another one at the same time. It returns when the last
// sample has left the last stage, or when all stages have stopped after one has failed.
func Run(samples int64, stages []Worker) error {
	errs := make([]error, len(stages))
	links := make([]link, len(stages)-1) // to each stage but the first
	for i := range links {
		links[i] = link{ready: make(chan struct{}), taken: make(chan struct{})}
	}
	var failed sync.Once
	var running sync.WaitGroup
	stop := make(chan struct{})
	run := func(i int) {
		if err := work(i, samples, stages[i], links, stop); err != nil {
			errs[i] = fmt.Errorf("stage %d: %w", i, err)
			failed.Do(func() { close(stop) })
		}
	}
	for i := 1; i < len(stages); i++ {
		running.Go(func() { run(i) })
	}
	run(0)
	running.Wait()
	return errors.Join(errs...)
}

// work runs one stage for all samples, or until stop is closed.
func work(i int, samples int64, stage Worker, links []link, stop <-chan struct{}) error {
	for range samples {
		if i > 0 {
			l := &links[i-1]
			if !meet(l.ready, nil, stop) {
				return nil
			}
			if err := stage.Take(); err != nil {
				return err
			}
			if !meet(nil, l.taken, stop) {
				return nil
			}
		}
		if err := stage.Invoke(); err != nil {
			return err
		}
		if i < len(links) && (!meet(nil, links[i].ready, stop) || !meet(links[i].taken, nil, stop)) {
			return nil
		}
	}
	return nil
}

// meet waits for the other side of a channel, from which it receives or to which it sends; a nil channel has none. It
// returns false if stop was closed.
func meet(receive <-chan struct{}, send chan<- struct{}, stop <-chan struct{}) bool {
	select {
	case <-receive:
	case send <- struct{}{}:
	case <-stop:
		return false
	}
	return true
}
