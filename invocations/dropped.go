package invocations

import "zonemark/invocations/figures"

// Dropped tells why a race has dropped a variant: it cannot be the best of its group any more. Its time comes from few
// launches and is not precise. Of one that was only left out, since it is hardly better than another one, the interval
// holds 1, or almost.
type Dropped struct {
	// Launches is the number of launches that were made of it.
	Launches int `json:"launches"`
	// Best is the name of the variant that was the best when it was dropped.
	Best string `json:"best"`
	// Ratio is its time divided by that of the best one, launch by launch.
	Ratio float64 `json:"ratio"`
	// Low begins the interval of the ratio that dropped it. All of it is above 1, unless it was only left out.
	Low float64 `json:"low"`
	// High ends that interval.
	High float64 `json:"high"`
}

// Drop makes the result that of a variant that was dropped. What its few launches say of precision does not count.
func (r *Result) Drop(d Dropped) {
	r.Dropped, r.Stop = &d, StopDropped
	kept := r.Verdicts[:0:0]
	for _, v := range r.Verdicts {
		if v != NotConverged {
			kept = append(kept, v)
		}
	}
	r.Verdicts = kept
	r.AddVerdict(Slower)
}

// LeaveOut makes the result that of a variant that a race has left out.
func (r *Result) LeaveOut(d Dropped) { r.Dropped, r.Stop = &d, StopAlsoRan }

// recorded returns it with the digits of a record; nil if there is none, or if JSON cannot hold it.
func (d *Dropped) recorded() *Dropped {
	if d == nil || Recorded(d.Ratio) == nil || Recorded(d.Low) == nil || Recorded(d.High) == nil {
		return nil
	}
	return &Dropped{d.Launches, d.Best, figures.Rounded(d.Ratio), figures.Rounded(d.Low), figures.Rounded(d.High)}
}
