package bench

import (
	"cmp"
	"slices"

	"zonemark/invocations/stats"
)

// Hosts compares the records of one model on several hosts, on one runtime, by the time of an execution end to end.
type Hosts struct {
	MedianNS float64 `json:"median_ns"` // of the hosts' medians
	LowNS    float64 `json:"low_ns"`    // the least interval that holds the 95 % confidence interval of each host
	HighNS   float64 `json:"high_ns"`
	// BetweenHostsNS is the standard deviation of hosts, beyond that of their repetitions. BetweenNS is that of the
	// repetitions of a host. They are absent if no host has two repetitions.
	BetweenHostsNS *float64 `json:"between_hosts_ns,omitempty"`
	BetweenNS      *float64 `json:"between_ns,omitempty"`
	Differ         bool     `json:"differ"` // the intervals of two hosts do not touch
	Slowest        string   `json:"slowest_host"`
	SlowestRatio   float64  `json:"slowest_ratio"` // its median against MedianNS
	Names          []string `json:"hosts"`         // that are compared
}

// CompareHosts compares records of the same model and runtime. It leaves out records of failures, and returns nil if
// fewer than two are left.
func CompareHosts(records []*RunRecord) *Hosts {
	var measured []*RunRecord
	var times []stats.Interval
	var repetitions [][]float64 // mean times of an execution
	repeated := false
	h := &Hosts{}
	for _, r := range records {
		i := r.Zonemark.Iteration
		if r.Error != "" || i == nil || r.Args.LoopCount == 0 {
			continue
		}
		measured = append(measured, r)
		h.Names = append(h.Names, r.MachineName)
		times = append(times, stats.Interval{Value: i.MedianNS, Low: i.CILowNS, High: i.CIHighNS})
		var means []float64
		for _, s := range r.Zonemark.TotalTimes {
			means = append(means, s*1e9/float64(r.Args.LoopCount))
		}
		repetitions, repeated = append(repetitions, means), repeated || len(means) > 1
	}
	if len(measured) < 2 {
		return nil
	}
	held := stats.OnAny(times)
	h.MedianNS, h.LowNS, h.HighNS, h.Differ = held.Value, held.Low, held.High, stats.Apart(times)
	if repeated {
		c := stats.ComponentsOf(repetitions, 0)
		h.BetweenHostsNS, h.BetweenNS = &c.Hosts, &c.Launches
	}
	slowest := slices.MaxFunc(measured, func(a, b *RunRecord) int {
		return cmp.Compare(a.Zonemark.Iteration.MedianNS, b.Zonemark.Iteration.MedianNS)
	})
	h.Slowest, h.SlowestRatio = slowest.MachineName, finite(slowest.Zonemark.Iteration.MedianNS/h.MedianNS)
	return h
}
