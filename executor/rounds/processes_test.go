package rounds

import (
	"errors"
	"maps"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// callOf returns a call of a workload that has nothing else.
// calibration is how long the clocks of tests are compared with the system's.
const calibration = 10 * time.Millisecond

func callOf(w executor.Workload) *executor.Call { return &executor.Call{Work: w} }

// A call that runs in processes is timed by itself, one call a batch, and what its processes took is its result.
func TestProcesses(t *testing.T) {
	calls := 0
	call := callOf(&executor.Process{Run: func() (executor.Used, error) {
		calls++
		used := executor.Used{WallNS: 5e6, UserNS: 7e6, SystemNS: 1e6, Faults: 3, Switches: 2, PeakBytes: 100, PeakHidden: true}
		if calls%4 == 0 {
			used.WallNS, used.Delayed = 50e6, true
		}
		return used, nil
	}})
	_, r := roundOf(t, call, invocations.Measure{
		Mode: invocations.Warm, MinTimeNS: 1, MaxTimeNS: 1e10, MinIterations: 30, CPU: -1})
	if r.CallsPerBatch != 1 || r.WarmupCalls != 1 || r.Clock != "monotonic" || r.Canary.Why != processWork {
		t.Errorf("%+v", r)
	}
	for i, ns := range r.SamplesNS {
		if ns != 5e6 || r.CPUSamplesNS[i] != 8e6 {
			t.Errorf("sample %d: %v ns, CPU %v ns; the delayed calls count", i, ns, r.CPUSamplesNS[i])
		}
	}
	if want := int64(calls-1) - r.Iterations; r.Discarded.Disturbed != want || want < 9 {
		t.Errorf("%d calls, %d counted, %d set apart", calls, r.Iterations, r.Discarded.Disturbed)
	}
	want := map[string]string{invocations.UserProperty: "7000000", invocations.SystemProperty: "1000000", propertyPeakMost: "100"}
	if !maps.Equal(r.Properties, want) {
		t.Errorf("properties %v", r.Properties)
	}
	counts := map[string]float64{}
	for _, c := range r.Counters {
		counts[c.Name] = c.PerCall
	}
	if counts["page_faults"] != 3 || counts["context_switches"] != 2 {
		t.Errorf("counters %v", counts)
	}
}

// If nearly all calls were delayed, the result says so.
func TestProcessesContended(t *testing.T) {
	call := callOf(&executor.Process{Run: func() (executor.Used, error) { return executor.Used{WallNS: 1e6, Delayed: true}, nil }})
	_, r := roundOf(t, call, invocations.Measure{Mode: invocations.Warm, MaxTimeNS: 2e7, CPU: -1})
	if len(r.Verdicts) == 0 || r.Verdicts[0] != invocations.Contended {
		t.Errorf("verdicts %v", r.Verdicts)
	}
}

// The error of a call ends the measurement, and modes that need native code are refused.
func TestProcessesRefused(t *testing.T) {
	failure := errors.New("no luck")
	call := callOf(&executor.Process{Run: func() (executor.Used, error) { return executor.Used{}, failure }})
	clock := native.CalibrateClock(calibration)
	inv := &invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm, MaxTimeNS: 1e9, CPU: -1}}
	s, err := newSession(inv, call, instrumentsOf(clock))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.measureRound(noise.Levels{}); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	inv.Measure.Mode = invocations.Flush
	var unsupported *executor.UnsupportedError
	if _, err := newSession(inv, call, instrumentsOf(clock)); !errors.As(err, &unsupported) {
		t.Errorf("mode flush: error %v", err)
	}
}

// roundOf measures a round.
func roundOf(t *testing.T, call *executor.Call, m invocations.Measure) (*Session, invocations.Result) {
	t.Helper()
	s, err := newSession(&invocations.Invocation{Measure: m}, call, instrumentsOf(native.CalibrateClock(calibration)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r, err := s.measureRound(noise.Levels{})
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// Another process that times batches gets batches of the planned length. What they took is divided by their calls.
func TestBatchesOfAnotherProcess(t *testing.T) {
	call := callOf(&executor.Batches{Batch: func(calls int64) (executor.Used, error) {
		n := float64(calls)
		return executor.Used{WallNS: 1e3 * n, UserNS: 2e3 * n, Faults: 3 * n, Switches: n}, nil
	}})
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1, MaxTimeNS: 1e10, MinIterations: 3000, CPU: -1}
	s, r := roundOf(t, call, m)
	if length := float64(r.CallsPerBatch) * 1e3; length < batchShort*s.plannedNS() || length > batchLong*s.plannedNS() {
		t.Errorf("%d calls a batch", r.CallsPerBatch)
	}
	if r.Iterations < 3000 || r.OverheadNS != 0 || r.Properties != nil || r.Canary.Why != processWork {
		t.Errorf("%+v", r)
	}
	for i, ns := range r.SamplesNS {
		if ns != 1e3 || r.CPUSamplesNS[i] != 2e3 {
			t.Errorf("sample %d: %v ns, CPU %v ns", i, ns, r.CPUSamplesNS[i])
		}
	}
	for _, c := range r.Counters {
		if want := map[string]float64{"page_faults": 3, "context_switches": 1}[c.Name]; c.PerCall != want {
			t.Errorf("counter %+v", c)
		}
	}
	failure := errors.New("gone")
	call.Work = &executor.Batches{Batch: func(int64) (executor.Used, error) { return executor.Used{}, failure }}
	s, err := newSession(&invocations.Invocation{Measure: m}, call, instrumentsOf(native.CalibrateClock(calibration)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.measureRound(noise.Levels{}); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
}
