package invocations

import "testing"

// A dispatch says how many times it has, and how far they scatter.
func TestDispatchTime(t *testing.T) {
	var ns []float64
	for i := range 101 {
		ns = append(ns, float64(200-i))
	}
	var d Dispatch
	d.Time(ns)
	if d.Count != 101 || d.MinNS != 100 || d.P10NS != 110 || d.MedianNS != 150 || d.P90NS != 190 || d.TotalNS != 101*150 {
		t.Errorf("%+v", d)
	}
	if d.Time([]float64{7}); d.Count != 1 || d.P10NS != 7 || d.P90NS != 7 || d.TotalNS != 7 {
		t.Errorf("one issue: %+v", d)
	}
}

// The record of a profile tells how many calls it is of, how many were quiet, and what disturbed them; the keys are
// absent if nobody watched.
func TestRecordedTrust(t *testing.T) {
	profile := Profile{Source: ByProfiler, CallNS: 10, Made: 50, Quiet: 20, Contended: true,
		Dispatches: []Dispatch{{Name: "d", MedianNS: 5, P10NS: 4, P90NS: 9}}}
	r := NewRecord(Invocation{}, Result{Status: OK, Profile: profile})
	if r.DispatchCalls == nil || *r.DispatchCalls != 50 || *r.DispatchQuietShare != 0.4 || !r.DispatchContended ||
		*r.Dispatches[0].P10NS != 4 || *r.Dispatches[0].P90NS != 9 {
		t.Errorf("%+v", r)
	}
	profile = Profile{Source: ByProfiler, CallNS: 10, Dispatches: []Dispatch{{Name: "d", MedianNS: 5}}}
	r = NewRecord(Invocation{}, Result{Status: OK, Profile: profile})
	if r.DispatchCalls != nil || r.DispatchQuietShare != nil || r.DispatchContended || r.Dispatches[0].P90NS != nil {
		t.Errorf("nobody watched: %+v", r)
	}
}
