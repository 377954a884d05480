package machine

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Trial is what comparisons of equal runs have shown on a machine: how often they called equal things different, and how
// small a difference they would have found.
type Trial struct {
	At      time.Time     `json:"at"`
	Runs    int           `json:"runs"`
	Seconds float64       `json:"seconds"` // that a run spends on each kernel, at most
	Kernels []TrialKernel `json:"kernels"`
}

// TrialKernel is the part of a Trial about one kernel.
type TrialKernel struct {
	Name     string  `json:"name"`
	MedianNS float64 `json:"median_ns"`
	// Spread is how far the medians of the runs lie apart, as a fraction of their median.
	Spread float64 `json:"spread"`
	// QuietShare is the usual share of batches that nothing disturbed; 0 if the canary did not tell.
	QuietShare float64 `json:"quiet_share,omitempty"`
	// Pairs is the number of pairs of runs. Alarms of them were called faster or slower. Undecided of them were neither,
	// nor surely the same.
	Pairs     int `json:"pairs"`
	Alarms    int `json:"alarms"`
	Undecided int `json:"undecided"`
	// Detectable is the relative difference that half of the pairs would have found in 80 % of all experiments; 0 if
	// most pairs could not tell any.
	Detectable float64 `json:"detectable,omitempty"`
}

// Trial returns the latest trial on this machine; nil if there was none.
func (m *Knowledge) Trial() *Trial { return m.kept.Trial }

// KeepTrial writes a trial into the file. It waits for other runs that write.
func (m *Knowledge) KeepTrial(ctx context.Context, t *Trial) error {
	m.kept.Trial = t
	return m.write(ctx)
}

// Text returns the trial in one sentence, for people who compare runs on this machine; empty if there was none.
func (t *Trial) Text() string {
	if t == nil || len(t.Kernels) == 0 {
		return ""
	}
	pairs, alarms := 0, 0
	var finds []string
	for _, k := range t.Kernels {
		pairs, alarms = pairs+k.Pairs, alarms+k.Alarms
		what := "nothing"
		if k.Detectable > 0 {
			what = fmt.Sprintf("%.2g %%", 100*k.Detectable)
		}
		finds = append(finds, what+" at "+k.Name)
	}
	return fmt.Sprintf("on this machine, runs of %.2g s would find differences of %s, and called %d of %d equal pairs "+
		"different (zonemark doctor, %s)", t.Seconds, strings.Join(finds, ", "), alarms, pairs, t.At.Format("2006-01-02"))
}
