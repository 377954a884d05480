package report

import (
	"encoding/json"
	"io"

	"zonemark/invocations"
)

// bencherValue is a measure of the Bencher Metric Format.
type bencherValue struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// writeBencher writes the Bencher Metric Format: for each name the latency in nanoseconds, the median with its 95 % confidence interval. The format has
// no place for what did not end ok.
func writeBencher(w io.Writer, run Run) error {
	names := distinctNames(run.Records)
	metrics := map[string]map[string]bencherValue{}
	for i := range run.Records {
		r := &run.Records[i]
		if r.Status == invocations.OK && r.Timed() {
			metrics[names[i]] = map[string]bencherValue{"latency": {*r.MedianNS, r.CILowNS, r.CIHighNS}}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(metrics)
}
