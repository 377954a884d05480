package peaking

import (
	"testing"

	kernels "zonemark/executor/peaks"
	"zonemark/invocations"
)

// A peak whose interval has no end has none in the file, and is not exact.
func TestPeakOf(t *testing.T) {
	cases := kernels.Cases()
	if len(cases) == 0 {
		t.Skip(kernels.ErrNone)
	}
	number := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		low, high       *float64 // of the time
		lowRate, higher float64
		vague           bool
	}{
		{number(9), number(12.5), 80e9, 111e9, false},
		{number(-1), number(25), 40e9, 0, true},
		{nil, nil, 0, 0, true},
	} {
		r := invocations.Record{Status: invocations.OK,
			RecordedSubject: invocations.RecordedSubject{Function: cases[0].Name()},
			RecordedTimes:   invocations.RecordedTimes{MedianNS: number(10), CILowNS: c.low, CIHighNS: c.high},
			RecordedRates: invocations.RecordedRates{FLOP: number(1000), FLOPPerS: number(100e9), Bytes: number(1000),
				BytePerS: number(100e9)},
		}
		p, ok := (&verb{}).peakOf(&r)
		if !ok || p.PerS != 100e9 || p.LowPerS != c.lowRate || p.HighPerS < c.higher || p.Vague() != c.vague {
			t.Errorf("%+v, %v", p, ok)
		}
	}
}
