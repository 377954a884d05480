// Package callprofile measures the dispatches of calls by the profiler that devices of IREE's C API have. It knows
// nothing of modules and functions: it is handed the call.
package callprofile

import (
	"fmt"
	"slices"
	"time"

	"zonemark/executor"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/halprofile"
	"zonemark/executor/iree/tally"
	"zonemark/invocations"
)

// Of makes calls under the profiler of the device that they use, and some more before them, which are not counted.
func Of(library *capi.Library, device *capi.Device, invoke func() error, calls int64) (profile invocations.Profile, err error) {
	if calls < 1 {
		return profile, fmt.Errorf("profile of %d calls: there must be one", calls)
	}
	records := &halprofile.Records{}
	running, err := device.StartProfiling(capi.HostExecutionEvents|capi.ExecutableMetadata,
		func(c capi.Chunk) error {
			return records.Add(c.ContentType, c.Data, c.Dropped)
		})
	if err != nil {
		return profile, err
	}
	defer func() {
		if stopped := running.Stop(); err == nil && stopped != nil {
			err = stopped
		}
	}()
	p := &profiledCalls{nowNS: library.NowNS, invoke: invoke, running: running, records: records}
	batch, err := p.batch()
	if err != nil {
		return profile, err
	}
	for calls > 0 {
		n := min(batch, calls)
		if err := p.run(n); err != nil {
			return profile, err
		}
		calls -= n
	}
	profile = p.tally.Profile(records.Name, records.Dropped)
	profile.Made, profile.Quiet = p.quiet.Made, p.quiet.Quiet
	return profile, nil
}

// profiledCalls makes batches of calls and takes the profiler's records after each batch.
type profiledCalls struct {
	nowNS   func() int64 // of the runtime's clock
	invoke  func() error
	running *capi.Profiling
	records *halprofile.Records
	tally   tally.Tally
	begins  []int64   // start of each call of a batch, ns of the runtime's clock
	callNS  []float64 // duration of each call of a batch
	quiet   executor.QuietCalls
}

// tryCalls is the number of calls that find out how many records one call makes; emptyBatch is the batch of calls that
// make no records.
const (
	tryCalls   = 3
	emptyBatch = 512
)

// batch returns how many calls can be made before the device must hand over its records, of which it holds a limited
// number. It is half of what fits, since threads that end late may add some. To find out, it makes a few calls, which
// are not counted.
func (p *profiledCalls) batch() (int64, error) {
	most := 0
	for range tryCalls {
		if err := p.invoke(); err != nil {
			return 0, err
		}
		if err := p.running.Flush(); err != nil {
			return 0, err
		}
		most = max(most, len(p.records.Events))
		p.records.Events = p.records.Events[:0]
	}
	if p.records.Dropped > 0 { // one call already makes too many
		p.records.Dropped = 0
		return 1, nil
	}
	if most == 0 {
		return emptyBatch, nil
	}
	return int64(max(1, capi.EventCapacity/2/most)), nil
}

// run makes calls, takes their records and adds them up.
func (p *profiledCalls) run(calls int64) error {
	p.begins, p.callNS = p.begins[:0], p.callNS[:0]
	p.quiet.Begin()
	for range calls {
		p.begins = append(p.begins, p.nowNS())
		start := time.Now()
		err := p.invoke()
		p.callNS = append(p.callNS, float64(time.Since(start)))
		if err != nil {
			return err
		}
		p.quiet.Next()
	}
	if err := p.running.Flush(); err != nil {
		return err
	}
	runs := tally.Runs(p.records.Events)
	p.records.Events = p.records.Events[:0]
	// Calls are made one after the other, and each waits for its dispatches. So a dispatch belongs to the last call
	// that began before it.
	byCall := make([][]tally.Run, calls)
	for _, r := range runs {
		if i := latest(p.begins, r.StartNS); i >= 0 {
			byCall[i] = append(byCall[i], r)
		}
	}
	for i, runs := range byCall {
		p.tally.Add(p.callNS[i], runs)
	}
	return nil
}

// latest returns the index of the last of the ascending times that is not after ns, or -1 if all are after it.
func latest(times []int64, ns int64) int {
	i, found := slices.BinarySearch(times, ns)
	if found {
		return i
	}
	return i - 1
}
