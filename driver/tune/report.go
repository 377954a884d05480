package tune

import (
	"math"

	"zonemark/invocations"
)

// Report says what came of a batch.
type Report struct {
	Batch     int              `json:"batch"`
	Asked     int              `json:"samples"` // of each pipeline that was asked for
	Epochs    []Epoch          `json:"epochs"`  // of its training
	Pipelines []PipelineReport `json:"pipelines"`
	// Cut says that the time limit has ended the batch early. It has taught what it could, and the next run goes on with
	// it.
	Cut bool `json:"cut,omitempty"`
}

// Epoch is the loss of training before an epoch's step. A pipeline with too few schedules has none.
type Epoch struct {
	Loss       float64  `json:"loss"`
	Validation *float64 `json:"validation_loss,omitempty"` // of pipelines that were set apart for it
}

// PipelineReport says what came of the samples of one pipeline in a batch.
type PipelineReport struct {
	Pipeline   string                     `json:"pipeline"`
	Samples    int                        `json:"samples"` // that have a result
	Measured   int                        `json:"measured"`
	Duplicates int                        `json:"duplicates"` // of schedules that were measured
	Again      int                        `json:"again"`      // measured a second time, because others used the machine
	Contended  int                        `json:"contended"`  // of these, disturbed again; they are not trained on
	Failed     map[invocations.Status]int `json:"failed,omitempty"`
	// Best is the fastest of the batch; nil if none was measured.
	Best *Time `json:"best,omitempty"`
	// Untuned is the untuned schedule, measured in turns with the samples; nil if it was not measured.
	Untuned *Time `json:"untuned,omitempty"`
	// ValidationLoss and RankCorrelation say how well the weights that the batch was scheduled with have predicted its
	// times, before they were trained on it; nil if that cannot be told.
	ValidationLoss  *float64 `json:"validation_loss,omitempty"`
	RankCorrelation *float64 `json:"rank_correlation,omitempty"`
}

// Time is a measured time with its interval of 95 % confidence, in nanoseconds; 0 and 0 if that is not known.
type Time struct {
	Name     string  `json:"name"`
	MedianNS float64 `json:"median_ns"`
	LowNS    float64 `json:"ci_low_ns,omitempty"`
	HighNS   float64 `json:"ci_high_ns,omitempty"`
}

// Ratio returns the ratio of this time to another one, with the widest interval that both intervals allow. Intervals of
// few launches may reach below zero, times do not: then the ratio has no upper limit.
func (t Time) Ratio(other Time) (ratio, low, high float64) {
	high = math.Inf(1)
	if t.HighNS == 0 || other.HighNS == 0 {
		return t.MedianNS / other.MedianNS, 0, high
	}
	if other.LowNS > 0 {
		high = t.HighNS / other.LowNS
	}
	return t.MedianNS / other.MedianNS, max(0, t.LowNS) / other.HighNS, high
}

// FailedCount returns how many samples have no time because something failed.
func (p PipelineReport) FailedCount() (n int) {
	for _, count := range p.Failed {
		n += count
	}
	return n
}

// Add counts the last record of a sample, which may be the second. A record of status skipped is a duplicate.
func (p *PipelineReport) Add(r *invocations.Record, second bool) {
	p.Samples++
	if second {
		p.Again++
	}
	switch {
	case r.Status == invocations.Skipped:
		p.Duplicates++
	case r.Status != invocations.OK || !r.Timed():
		if p.Failed == nil {
			p.Failed = map[invocations.Status]int{}
		}
		p.Failed[r.Status]++
	default:
		p.Measured++
		if TimingOf(r).Contended {
			p.Contended++
		}
		if t := TimeOf(r); p.Best == nil || t.MedianNS < p.Best.MedianNS {
			p.Best = &t
		}
	}
}

// TimeOf returns the time of a record that has one. The interval of few launches may reach below zero, which no time
// does.
func TimeOf(r *invocations.Record) Time {
	s := r.Summary()
	return Time{Name: r.Name, MedianNS: s.MedianNS, LowNS: max(0, s.CILowNS), HighNS: s.CIHighNS}
}
