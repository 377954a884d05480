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

// writeBencher writes the Bencher Metric Format: for each name the latency in nanoseconds (the median with its 95 %
// confidence interval), the same at the reference clock, and the instructions of a call, as far as they are known. The
// format cannot hold records that did not end ok.
func writeBencher(w io.Writer, run Run) error {
	names, err := distinctNames(run.Records)
	if err != nil {
		return err
	}
	metrics := map[string]map[string]bencherValue{}
	for i := range run.Records.Len() {
		r, err := run.Records.At(i)
		if err != nil {
			return err
		}
		if r.Status == invocations.OK && r.Timed() {
			measures := map[string]bencherValue{"latency": {*r.MedianNS, r.CILowNS, r.CIHighNS}}
			if r.ReferenceNS != nil {
				measures["reference-latency"] = bencherValue{*r.ReferenceNS, r.ReferenceLo, r.ReferenceHi}
			}
			if instructions, counted := r.Counters[counterInstructions]; counted {
				measures["instructions"] = bencherValue{Value: instructions}
			}
			metrics[names[i]] = measures
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(metrics)
}
