package bench

import (
	"cmp"
	"fmt"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// PipelinedDefinition defines the times of a pipelined record.
const PipelinedDefinition = "total_time is the time from the first input pushed to the last output received while " +
	"loop_count samples go through all parts of the model, each of which works on another sample at the same time; " +
	"results go from part to part by way of the host; of several repetitions it is the median one"

// OnDevicePipelinedDefinition defines them for a runtime whose calls begin and end with data on the device.
const OnDevicePipelinedDefinition = "total_time is the time while loop_count samples go through all parts of the model, " +
	"each of which works on another sample at the same time; inputs and results are on the device, and results go from " +
	"part to part there, or by way of the host if parts have different devices; of several repetitions it is the median one"

// PipelinedRecord has the time of a model whose parts work at the same time. Times in RunRecord are those of the parts one
// after the other.
type PipelinedRecord struct {
	Definition    string    `json:"definition"`
	Parts         []string  `json:"parts"`       // roles of the modules, in their order
	TotalTime     float64   `json:"total_time"`  // seconds
	TotalTimes    []float64 `json:"total_times"` // seconds, of each repetition
	LowTime       float64   `json:"ci_low"`      // 95 % confidence interval of TotalTime, between repetitions, seconds
	HighTime      float64   `json:"ci_high"`
	SamplesPerSec float64   `json:"samples_per_sec"`
	// Ratio is TotalTime divided by that of the parts one after the other.
	Ratio    float64               `json:"ratio_to_parts"`
	Verdicts []invocations.Verdict `json:"verdict,omitempty"`
	Error    string                `json:"error,omitempty"` // why there are no times; empty if there are
}

// Handover has, for each module, the result of the module before that an input takes, by the position of the input.
type Handover []map[int]int

// Handover returns what modules hand to the next ones. It returns nil if they cannot work on several samples at the same
// time, and why; without a reason, there is only one module.
func (m *Manifest) Handover() (list Handover, why string) {
	if len(m.Modules) < 2 {
		return nil, ""
	}
	for i := range m.Modules {
		from := map[int]int{}
		for at, a := range m.Modules[i].Inputs {
			if a.Kind == KindPrevious {
				from[at] = a.Output
			}
		}
		if i > 0 && len(from) == 0 {
			return nil, fmt.Sprintf("%s takes nothing from %s", m.Modules[i].Role, m.Modules[i-1].Role)
		}
		list = append(list, from)
	}
	return list, ""
}

// MeasuredPipelined fills in the measurement of the modules as a pipeline, after Measured. It returns an error if it did
// not end well.
func (r *RunRecord) MeasuredPipelined(m *invocations.Record) error {
	p := &PipelinedRecord{Definition: PipelinedDefinition}
	if r.OnDevice() {
		p.Definition = OnDevicePipelinedDefinition
	}
	r.Zonemark.Pipelined = p
	for i := range r.Zonemark.Modules {
		p.Parts = append(p.Parts, r.Zonemark.Modules[i].Role)
	}
	if m.Status != invocations.OK || len(m.WallNS) == 0 {
		p.Error = fmt.Sprintf("%s: %s", m.Status, cmp.Or(m.Error, "no reason is known"))
		return fmt.Errorf("the modules as a pipeline: %s", p.Error)
	}
	for _, ns := range m.WallNS {
		p.TotalTimes = append(p.TotalTimes, ns/1e9)
	}
	held := stats.LaunchInterval(m.WallNS)
	p.TotalTime, p.LowTime, p.HighTime = stats.Median(p.TotalTimes), held.Low/1e9, held.High/1e9
	p.SamplesPerSec = perSecond(float64(r.TotalSamples), p.TotalTime*1e9)
	p.Ratio = finite(p.TotalTime / r.TotalTime)
	p.Verdicts = slices.Clone(m.Verdicts)
	if len(p.TotalTimes) < 2 || !held.Within(Precision, 1) {
		p.Verdicts = addVerdict(p.Verdicts, invocations.NotConverged)
	}
	return nil
}
