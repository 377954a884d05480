package rounds

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform/exchangetest"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// TestSteps: two sessions make their batches by turns in turns of steps, also while they warm up.
func TestSteps(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // both sides turn the collector off
	x := exchangetest.New(t, 2*int64(os.Getpagesize()))
	inv := &invocations.Invocation{Measure: invocations.Measure{
		Mode: invocations.Warm, MinTimeNS: 2e6, MaxTimeNS: 1e10, MinIterations: 1}}
	var order []int // of the sides that make calls, without repetitions
	var mu sync.Mutex
	var sides [2]*Session
	for k := range sides {
		call := callOf(&executor.Function{Invoke: func() error {
			mu.Lock()
			if n := len(order); n == 0 || order[n-1] != k {
				order = append(order, k)
			}
			mu.Unlock()
			for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
			}
			return nil
		}})
		var err error
		if sides[k], err = newSession(inv, call, instrumentsOf(native.MonotonicClock())); err != nil {
			t.Fatal(err)
		}
		defer sides[k].Close()
		if _, err := sides[k].measureRound(noise.Levels{}); err != nil {
			t.Fatal(err)
		}
		if sides[k].steps, err = x.NewSteps(); err != nil {
			t.Fatal(err)
		}
	}
	for turn := 1; turn <= 3; turn++ {
		order = nil
		var both sync.WaitGroup
		for k, s := range sides {
			s.asked = wire.Steps{Turn: turn, Role: k, First: 1}
			both.Go(func() {
				runtime.LockOSThread()
				r, err := s.measureRound(noise.Levels{})
				if err != nil || len(r.SamplesNS) == 0 || r.Stop != invocations.StopMinimum {
					t.Errorf("turn %d: %v, %d samples, stop %q", turn, err, len(r.SamplesNS), r.Stop)
				}
			})
		}
		both.Wait()
		if len(order) < 2*(leastWarmSteps+10) || !slices.Equal(order, slices.Repeat([]int{1, 0}, len(order))[:len(order)]) {
			t.Errorf("turn %d: order of sides %v", turn, order)
		}
	}
}

// A side whose time is over ends the turn of both: what the other one would make alone does not compare.
func TestStepsOver(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	x := exchangetest.New(t, 2*int64(os.Getpagesize()))
	call := callOf(&executor.Function{Invoke: func() error {
		for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
		}
		return nil
	}})
	var both sync.WaitGroup
	for k, most := range []time.Duration{5 * time.Millisecond, time.Hour} {
		inv := &invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1e6, MaxTimeNS: 1e10}}
		s, err := newSession(inv, call, instrumentsOf(native.MonotonicClock()))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.measureRound(noise.Levels{}); err != nil {
			t.Fatal(err)
		}
		if s.steps, err = x.NewSteps(); err != nil {
			t.Fatal(err)
		}
		s.asked = wire.Steps{Turn: 1, Role: k}
		inv.Measure.MinTimeNS, inv.Measure.MaxTimeNS = int64(time.Hour), int64(most)
		both.Go(func() {
			runtime.LockOSThread()
			if r, err := s.measureRound(noise.Levels{}); err != nil || r.Stop != invocations.StopMaxTime {
				t.Errorf("side %d: stop %q, %v", k, r.Stop, err)
			}
		})
	}
	both.Wait()
}
