package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// timed returns the record of a runtime whose repetitions took these times, of one iteration each. Half of a time is
// that of the module before the device's.
func timed(runtime string, ns ...float64) *RunRecord {
	r := &RunRecord{Arch: "of " + runtime}
	r.Zonemark.Runtime = runtime
	for _, role := range []string{RolePre, RoleDevice} {
		m := ModuleRecord{Role: role, Record: invocations.Record{Status: invocations.OK}}
		for _, one := range ns {
			m.SamplesNS, m.WallNS = append(m.SamplesNS, one/2), append(m.WallNS, one/2)
		}
		r.Zonemark.Modules = append(r.Zonemark.Modules, m)
	}
	return r
}

// Runtimes are compared end to end by their repetitions, in pairs, so that a drift of the machine does not count.
func TestCompare(t *testing.T) {
	slow := timed("slow", 200, 300, 410, 490, 600, 802)
	fast := timed("fast", 100, 151, 200, 251, 299, 400)
	failed := timed("failed", 1, 1, 1, 1, 1, 1)
	failed.Error = "mismatch"
	b := Compare([]*RunRecord{slow, failed, fast})
	if b == nil || len(b.Rows) != 2 || b.Pairs != 6 || b.Method != stats.Paired {
		t.Fatalf("%+v", b)
	}
	best, other := b.Rows[0], b.Rows[1]
	if best.Runtime != "fast" || best.Device != "of fast" || best.Record != 2 || best.Ratio != 1 ||
		best.Result != stats.Best {
		t.Errorf("the best: %+v", best)
	}
	if other.Runtime != "slow" || other.Record != 0 || math.Abs(other.Ratio-2) > 0.05 || other.Low > other.Ratio ||
		other.High < other.Ratio || other.High > 2.2 || other.Result != stats.Slower {
		t.Errorf("the other: %+v", other)
	}
	if Compare([]*RunRecord{slow, failed}) != nil || Compare(nil) != nil {
		t.Error("one runtime is compared with nothing")
	}
}

// With a single repetition there is no interval, which JSON could not hold.
func TestCompareOnce(t *testing.T) {
	b := Compare([]*RunRecord{timed("a", 100), timed("b", 200)})
	text, err := json.Marshal(b)
	if err != nil || b.Method == stats.Paired || !strings.Contains(b.Note, "fewer than") {
		t.Errorf("%s, %v", text, err)
	}
}
