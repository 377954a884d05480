package invocations

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A result that was dropped from a race is not clean, and nothing is said about its precision. Other flaws stay.
func TestDrop(t *testing.T) {
	d := Dropped{Launches: 2, Best: "a", Ratio: 2, Low: 1.5, High: 2.5}
	for _, c := range []struct{ before, after []Verdict }{
		{nil, []Verdict{Slower}},
		{[]Verdict{Clean}, []Verdict{Slower}},
		{[]Verdict{NotConverged}, []Verdict{Slower}},
		{[]Verdict{Contended, NotConverged}, []Verdict{Contended, Slower}},
	} {
		r := Result{Status: OK, Calling: Calling{Stop: StopLaunches}, Verdicts: c.before}
		if r.Drop(d); cmp.Diff(c.after, r.Verdicts) != "" || r.Stop != StopDropped || *r.Dropped != d {
			t.Errorf("%v: %+v", c.before, r)
		}
	}
}

// A record has the interval that dropped a variant, unless JSON cannot hold it.
func TestRecordDropped(t *testing.T) {
	d := Dropped{Launches: 2, Best: "a", Ratio: 2, Low: 1.0 + 1e-12, High: 2.5}
	r := NewRecord(Invocation{}, Result{Status: OK, OfDriver: OfDriver{Dropped: &d}})
	text, err := json.Marshal(r.Dropped)
	if want := `{"launches":2,"best":"a","ratio":2,"low":1,"high":2.5}`; err != nil || string(text) != want {
		t.Errorf("%s, want %s (%v)", text, want, err)
	}
	d.High = math.Inf(1)
	if r := NewRecord(Invocation{}, Result{Status: OK, OfDriver: OfDriver{Dropped: &d}}); r.Dropped != nil {
		t.Errorf("an infinite end: %+v", r.Dropped)
	}
}
