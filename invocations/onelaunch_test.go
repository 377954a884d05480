package invocations

import (
	"math"
	"testing"

	"zonemark/invocations/stats"
)

// TestOneLaunch: a record of a single launch has no interval of any figure, and one of two launches has all.
func TestOneLaunch(t *testing.T) {
	for launches, want := range map[int]bool{1: false, 2: true} {
		i := stats.Interval{Value: 10, Low: 9, High: 11}
		res := Result{Status: OK, Batches: Batches{SamplesNS: []float64{10, 10}}, Summary: stats.Summary{N: 2,
			MedianNS: 10, CILowNS: 9, CIHighNS: 11},
			OfDriver: OfDriver{Spread: &Spread{
				Launches: launches, MediansNS: []float64{10}, Time: i, Reference: i, ReferenceGHz: 3, ReferenceMedians: []float64{10}, Cycles: i, CyclesMedians: []float64{10}}}}
		r := NewRecord(Invocation{}, res)
		r.AddHost("h", "", &res)
		for name, p := range map[string]*float64{
			"ci_low_ns": r.CILowNS, "ci_high_ns": r.CIHighNS, "reference_ci_low_ns": r.ReferenceLo,
			"reference_ci_high_ns": r.ReferenceHi, "cycles_ci_low": r.CyclesLow, "cycles_ci_high": r.CyclesHigh,
			"low of a host": r.Hosts[0].CILowNS, "high of a host": r.Hosts[0].CIHighNS,
		} {
			if (p != nil) != want {
				t.Errorf("%d launches: %s is there: %v", launches, name, p != nil)
			}
		}
		for name, i := range map[string]stats.Interval{
			"reference": r.Reference(), "cycles": r.Cycles(), "host": r.Hosts[0].Interval(),
		} {
			if !i.Known() || i.Value != 10 || math.IsNaN(i.Half()) == want {
				t.Errorf("%d launches: %s: %+v", launches, name, i)
			}
		}
	}
}
