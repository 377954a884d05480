package rounds

import (
	"errors"
	"testing"

	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// TestFailedCallsOfTheLoop checks that a failed call is noticed. The loop looks at no result, so the call itself
// reports failures.
func TestFailedCallsOfTheLoop(t *testing.T) {
	calls, refused := 0, errors.New("the runtime refused")
	work := &executor.Native{
		Entry:  dl.Callback(func(uintptr) uintptr { calls++; return 0 }),
		Frames: make([]native.Frame, 1),
		Failed: func() error {
			if calls > 5 {
				return refused
			}
			return nil
		},
	}
	work.Frames[0].Int(0)
	s, err := newSession(&invocations.Invocation{}, callOf(work), instrumentsOf(native.MonotonicClock()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.timer.Close()
	if ns, err := s.timer.Run(5, 1); err != nil || len(ns) != 1 {
		t.Errorf("%v, %v", ns, err)
	}
	if _, err := s.timer.Run(1, 1); !errors.Is(err, refused) {
		t.Errorf("a failing call: %v", err)
	}
}
