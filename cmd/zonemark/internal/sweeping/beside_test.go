package sweeping

import (
	"math"
	"testing"

	"zonemark/driver/compare"
	"zonemark/invocations"
)

// timed returns the record of a program with one launch for each time.
func timed(runtime string, launchesNS ...float64) *invocations.Record {
	median := launchesNS[len(launchesNS)/2]
	launches := len(launchesNS)
	return &invocations.Record{
		ID: runtime, Name: nameOn("exp/0", runtime), Group: "exp/0",
		RecordedSubject: invocations.RecordedSubject{Runtime: runtime}, Status: invocations.OK,
		RecordedRun:     invocations.RecordedRun{Mode: invocations.Warm},
		RecordedTimes:   invocations.RecordedTimes{MedianNS: &median},
		RecordedBatches: invocations.RecordedBatches{SamplesNS: launchesNS},
		RecordedLaunches: invocations.RecordedLaunches{Launches: &launches,
			LaunchTimes: invocations.LaunchTimes{LaunchMediansNS: launchesNS}},
	}
}

// The ratio is the time on a runtime to that on the first, whichever is faster.
func TestStandingCompare(t *testing.T) {
	slow := timed("tt", 1000, 1010, 1005, 1002, 1007)
	fast := timed("iree", 500, 505, 502, 501, 503)
	failed := &invocations.Record{Group: "exp/0", Status: invocations.Failed}
	for _, c := range []struct {
		name      string
		first, on *invocations.Record
		ratio     float64
		verdict   compare.Verdict
	}{
		{"faster", slow, fast, 0.5, compare.Faster},
		{"slower", fast, slow, 2, compare.Slower},
		{"same", slow, timed("iree", 1001, 1009, 1006, 1001, 1008), 1, compare.Same},
		{"undecided", slow, timed("iree", 700, 1300, 900, 1200, 1005), 1, compare.Undecided},
		{"without a time", slow, failed, math.NaN(), ""},
	} {
		at := standing{record: c.on, ratio: math.NaN(), low: math.NaN(), high: math.NaN()}
		if err := at.compare(invocations.RecordsOf(*c.first, *c.on)); err != nil {
			t.Fatal(err)
		}
		near := math.Abs(at.ratio-c.ratio) < 0.1*c.ratio || math.IsNaN(c.ratio) && math.IsNaN(at.ratio)
		if !near || at.verdict != c.verdict || !math.IsNaN(at.ratio) && !(at.low <= at.ratio && at.ratio <= at.high) {
			t.Errorf("%s: %v (%v … %v) %s", c.name, at.ratio, at.low, at.high, at.verdict)
		}
	}
}
