package bench

import (
	"math"
	"slices"
	"testing"
)

// onHost is the record of a host whose executions take so long, in repetitions that differ a little.
func onHost(name string, ns float64, repetitions int) *RunRecord {
	r := &RunRecord{MachineName: name}
	r.Args.LoopCount = 10
	r.Zonemark.Iteration = &IterationRecord{MedianNS: ns, CILowNS: 0.99 * ns, CIHighNS: 1.01 * ns}
	for i := range repetitions {
		r.Zonemark.TotalTimes = append(r.Zonemark.TotalTimes, 10*ns*(1+0.001*float64(i%3-1))/1e9)
	}
	return r
}

// The variance of hosts is apart from that of their repetitions, the interval holds those of all hosts, and failures are
// left out.
func TestCompareHosts(t *testing.T) {
	failed := onHost("c", 5000, 6)
	failed.Error = "crashed"
	h := CompareHosts([]*RunRecord{onHost("a", 1000, 6), onHost("b", 1200, 6), failed})
	if h == nil || !slices.Equal(h.Names, []string{"a", "b"}) || h.MedianNS != 1100 || h.LowNS != 990 ||
		h.HighNS != 1212 || !h.Differ || h.Slowest != "b" || math.Abs(h.SlowestRatio-12.0/11) > 1e-9 {
		t.Fatalf("%+v", h)
	}
	// The means lie 200 apart, so that their standard deviation is 200/√2; repetitions differ by a thousandth.
	if math.Abs(*h.BetweenHostsNS-200/math.Sqrt2) > 0.1 || !(*h.BetweenNS > 0.5 && *h.BetweenNS < 2) {
		t.Errorf("between hosts %v, between repetitions %v", *h.BetweenHostsNS, *h.BetweenNS)
	}
	if h := CompareHosts([]*RunRecord{onHost("a", 1000, 6), onHost("b", 1000, 6)}); h.Differ || *h.BetweenHostsNS != 0 {
		t.Errorf("equal hosts: %+v", h)
	}
	if h := CompareHosts([]*RunRecord{onHost("a", 1000, 1), onHost("b", 1200, 1)}); h.BetweenHostsNS != nil ||
		h.BetweenNS != nil {
		t.Errorf("one repetition tells nothing of repetitions: %+v", h)
	}
	if h := CompareHosts([]*RunRecord{onHost("a", 1000, 6), failed}); h != nil {
		t.Errorf("one host: %+v", h)
	}
}
