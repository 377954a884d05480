package executors

import (
	"math"
	"strings"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// TestTimesAddUp checks answers whose times together are longer than the driver has waited, or shorter than a thread of
// the executor has worked.
func TestTimesAddUp(t *testing.T) {
	m := &wire.Execute{Invocation: invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm}}}
	for _, c := range []struct {
		name             string
		accounted, short float64
		waited           time.Duration
		threadNS         float64
		reason           string // empty: believed
	}{
		{"as long as both clocks say", 0.95e9, 0, time.Second, 0.94e9, ""},
		{"the thread was waiting", 0.95e9, 0, time.Second, 0.1e9, ""},
		{"the thread's time is not known", 0.1e9, 0, time.Second, 0, ""},
		{"another phase takes most", 0.1e9, 0, time.Second, 0.1e9, ""},
		{"the answer is packed", 0.1e9, 0, time.Second, 0.109e9, ""},
		{"nothing is accounted for", 0, 0, time.Second, 0.5e9, "and a thread of it has worked for 0.5 s"},
		{"a fifth is missing", 0.8e9, 0, time.Second, 0.97e9, "they are 0.8 s together, and a thread of it has worked for 0.97 s"},
		{"longer than the wait", 2e9, 0, time.Second, 0, "and the answer came after 1.06 s"},
		{"some entries were interrupted", 0.9e9, 0.4, time.Second, 0.9e9, ""},
		{"most entries are short", 0.9e9, 0.9, time.Second, 0.5e9, "in 90 % of the entries"},
		{"no number", math.NaN(), 0, time.Second, 0, "it accounts for NaN"},
		{"no share", 1, math.Inf(1), time.Second, 0, "+Inf"},
	} {
		r := &invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Mode: invocations.Warm,
			Iterations: 1, CallsPerBatch: 1},
			Batches:  invocations.Batches{SamplesNS: []float64{1e5}},
			Accounts: invocations.Accounts{AccountedNS: c.accounted, ShortShare: c.short}}
		err := believe(r, m, seen{c.waited, c.threadNS})
		if (err == nil) != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.name, err, c.reason)
		}
	}
}
