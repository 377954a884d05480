package rounds

import (
	"testing"

	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// The first calls are looked at one by one, and one after the batches; in a short launch after the first, one of them.
func TestFirstCalls(t *testing.T) {
	for _, c := range []struct {
		short, trusted bool
		want, last     int64
	}{{false, false, firstChecked, 1}, {false, true, firstChecked, 1}, {true, false, firstChecked, 1}, {true, true, 1, 0}} {
		call, err := keeper{}.Prepare(&invocations.Invocation{Function: "f"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		m := &wire.Execute{Short: c.short, Trusted: c.trusted}
		s, err := New(m, call, instrumentsOf(native.CalibrateClock(calibration)), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.instruments.around = &script{} // no call takes long
		looked := int64(0)
		calls, err := s.FirstCalls(func() { looked++ })
		if err != nil || calls != c.want || looked != c.want {
			t.Errorf("%+v: %d calls, %d looked at; %v", c, calls, looked, err)
		}
		made := s.warmed
		if _, err := s.Finish(&invocations.Result{}, func(string) {}); err != nil || s.warmed-made != c.last {
			t.Errorf("%+v: %d calls after the batches; %v", c, s.warmed-made, err)
		}
		s.Close()
	}
}
