package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// launched is a made-up invocation. Its times follow from its instructions and the clock of each launch.
type launched struct {
	name, group  string
	instructions float64 // per call
	ipc          float64
	wobble       float64 // relative, of the cycles from launch to launch
	exact        bool
}

// The number of iterations of a launch is that of its calls, also if the record does not have the times of all of them.
func TestIterationsOfLaunches(t *testing.T) {
	calls, all, median := int64(10), int64(9_000_000), 5.0
	r := invocations.Record{RecordedTimes: invocations.RecordedTimes{MedianNS: &median},
		RecordedCalls:   invocations.RecordedCalls{CallsPerBatch: &calls, Iterations: &all},
		RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{5, 5, 5}, MergedSamples: []int{2, 1}}}
	r.LaunchMediansNS = []float64{5, 5}
	iterations := func() (list []int64) {
		for _, one := range repetitions(&r) {
			list = append(list, one.iterations)
		}
		return list
	}
	if got := iterations(); !slices.Equal(got, []int64{6_000_000, 3_000_000}) { // their shares
		t.Errorf("%d", got)
	}
	r.MergedIterations = []int64{7_000_000, 2_000_000}
	if got := iterations(); !slices.Equal(got, []int64{7_000_000, 2_000_000}) {
		t.Errorf("%d", got)
	}
	r.LaunchMediansNS, r.MergedSamples, r.MergedIterations = nil, nil, nil
	if got := iterations(); !slices.Equal(got, []int64{3_000_000, 3_000_000, 3_000_000}) { // slices of the samples
		t.Errorf("%d", got)
	}
}

// launchClocks are the clocks of the launches in GHz. The machine's usual clock is the reference.
var launchClocks = []float64{3.31, 3.30, 3.33, 3.29, 3.32, 3.31, 3.30, 3.34, 3.31, 3.28}

const referenceGHz = 3.6

// record returns the record of launches with three batches each.
func (l launched) record(id, launches int, counters bool) invocations.Record {
	inv := invocations.Invocation{
		ID: fmt.Sprintf("%016x", id), Name: l.name, Group: l.group, Runtime: "hat", Function: l.name,
		Artifact: invocations.Artifact{Path: "/p/kernels.hat"},
	}
	res := invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Calling: invocations.Calling{Mode: invocations.Warm, Stop: "precision", CallsPerBatch: 1000, Sets: 1,
			Clock: "tsc", OverheadNS: 1},
		Merged:  launches,
		Layers:  []string{"seccomp", "landlock"},
		Batches: invocations.Batches{CyclesCounted: counters},
		Canary:  invocations.Canary{Batches: int64(40 * launches), Quiet: int64(39 * launches), GHz: 3.31},
	}
	s := &invocations.Spread{Launches: launches, ReferenceGHz: referenceGHz, WithinNS: 0.1, BetweenNS: 0.2}
	for i := range launches {
		cycles := l.instructions / l.ipc * (1 + l.wobble*math.Sin(l.instructions+float64(7*i)))
		ns := cycles / launchClocks[i%len(launchClocks)]
		res.SamplesNS = append(res.SamplesNS, 0.999*ns, ns, 1.001*ns)
		res.CPUSamplesNS = append(res.CPUSamplesNS, ns, ns+1, ns+2)
		res.MergedSamples = append(res.MergedSamples, 3)
		s.MediansNS, s.ReferenceMedians = append(s.MediansNS, ns), append(s.ReferenceMedians, cycles/referenceGHz)
		s.CyclesMedians = append(s.CyclesMedians, cycles)
	}
	s.Time, s.Reference = stats.LaunchInterval(s.MediansNS), stats.LaunchInterval(s.ReferenceMedians)
	if counters {
		s.Cycles = stats.LaunchInterval(s.CyclesMedians)
		res.Counters = []invocations.Count{
			{Name: "instructions", PerCall: l.instructions, Exact: l.exact},
			{Name: "branches", PerCall: l.instructions / 12, Exact: l.exact},
			{Name: "branch_misses", PerCall: l.instructions / 9000},
			{Name: "cache_references", PerCall: l.instructions / 800},
			{Name: "cache_misses", PerCall: l.instructions / 2.9e6}, {Name: "page_faults", PerCall: 0, Exact: true},
			{Name: "context_switches", PerCall: 0.0000003},
		}
	}
	res.Iterations = int64(len(res.SamplesNS)) * res.CallsPerBatch
	res.Summary = stats.Summarize(res.SamplesNS, res.CPUSamplesNS)
	res.Summary.MedianNS, res.Summary.CILowNS, res.Summary.CIHighNS = s.Time.Value, s.Time.Low, s.Time.High
	res.Spread = s
	return invocations.NewRecord(inv, res)
}

// launchRun returns a run on a machine that counts, below its usual clock.
func launchRun(counters bool) Run {
	records := []invocations.Record{
		launched{"add", "", 6153, 3.2, 0.002, true}.record(1, 10, counters),
		launched{"lookup", "", 118.25, 0.41, 0.004, false}.record(2, 10, counters),
		launched{"gemm_tiled", "gemm", 1.52e6, 3.61, 0.001, true}.record(3, 10, counters),
		launched{"gemm_naive", "gemm", 2.11e6, 1.14, 0.001, true}.record(4, 8, counters),
		launched{"once", "", 52340, 2, 0, true}.record(5, 1, counters),
	}
	if counters {
		records[1].Counters["r01c2"] = 0.0021
	}
	return Run{
		Build: "v1.1.0", Environment: map[string]string{
			"cpu": "Example 3000", "os": "linux", "arch": "amd64", "cpus": "2", "caches": "L1 48K, L2 1024K",
			"kernel": "6.1", "load": "0.12 0.10 0.08 1/95 4711",
			"governor": "performance", "host": "bench", "counters": "instructions, cycles",
		},
		Records: invocations.RecordsOf(records...), Rankings: groupsOf(invocations.RecordsOf(records...)), Complete: true, Counters: counters,
	}
}

func TestLaunchRepetitions(t *testing.T) {
	r := launched{"f", "", 1000, 2, 0.01, true}.record(1, 7, true)
	all := repetitions(&r)
	if len(all) != 7 {
		t.Fatalf("%d repetitions of 7 launches", len(all))
	}
	for i, one := range all {
		want := repetition{3000, r.LaunchMediansNS[i], r.LaunchMediansNS[i] + 1, r.LaunchReference[i],
			r.LaunchCycles[i]}
		if diff := cmp.Diff(want, one, cmp.AllowUnexported(repetition{})); diff != "" {
			t.Errorf("launch %d (-want +got):\n%s", i, diff)
		}
	}
	r.MergedSamples, r.CPUSamplesNS, r.LaunchCycles, r.LaunchReference = nil, nil, nil, nil
	for i, one := range repetitions(&r) {
		if one.iterations != 3000 || !math.IsNaN(one.cpuNS) || !math.IsNaN(one.referenceNS) || !math.IsNaN(one.cycles) {
			t.Errorf("launch %d, of which only the median is known: %+v", i, one)
		}
	}
	once := launched{"f", "", 1000, 2, 0, true}.record(1, 1, false)
	if n := len(repetitions(&once)); n != 1 {
		t.Errorf("a single launch makes %d repetitions", n)
	}
}

// TestBenchfmtPairs checks that benchstat can compare two runs of a machine: changes of its state are not in the
// configuration.
func TestBenchfmtPairs(t *testing.T) {
	read := func(run Run) (map[string]int, benchfmt.UnitMetadataMap, string) {
		r := benchfmt.NewReader(strings.NewReader(write(t, "benchfmt", run)), "test")
		lines, configuration := map[string]int{}, ""
		for r.Scan() {
			switch rec := r.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Error(rec)
			case *benchfmt.Result:
				for _, v := range rec.Values {
					lines[rec.Name.String()+" "+v.Unit]++
				}
				configuration = fmt.Sprint(rec.Config)
			}
		}
		return lines, r.Units(), configuration
	}
	run := launchRun(true)
	lines, units, before := read(run)
	for _, key := range []string{"kernel", "load", "governor", "host", "counters", "go"} {
		run.Environment[key] = "another"
	}
	if _, _, after := read(run); before != after || !strings.Contains(before, "goarch") {
		t.Errorf("configuration %s, afterwards %s", before, after)
	}
	for name, want := range map[string]int{
		"Add sec/op": 10, "Add cpu-sec/op": 10, "Add ref-sec/op": 10, "Add cycles/op": 10, "Add instructions/op": 10,
		"Lookup cycles/op": 10, "Lookup instructions/op": 1, "Gemm_naive sec/op": 8, "Once sec/op": 1,
	} {
		if lines[name] != want {
			t.Errorf("%s on %d lines, want %d", name, lines[name], want)
		}
	}
	if units.GetBetter("ref-sec/op") != -1 || units.GetBetter("cycles/op") != -1 ||
		units.Get("instructions/op", "assume") != nil {
		t.Errorf("units %v; the instructions of one row are not exact", units)
	}
	at(run, 1).Exact = []string{"instructions"}
	if _, units, _ := read(run); units.Get("instructions/op", "assume").Value != "exact" {
		t.Error("the instructions of all rows are exact, and the unit is not")
	}
	_, units, _ = read(launchRun(false))
	if len(units) != 2 {
		t.Errorf("without counters there are the units %v; want those of CPU and reference time", units)
	}
}

// wideAndScalar returns a scalar function, and one with wide vector units that takes 3.4 % longer. It lowers its clock
// by 7 %, so that it takes 4 % fewer cycles. Edit changes both.
func wideAndScalar(edit func(*invocations.Record)) *invocations.Records {
	records := []invocations.Record{
		launched{"scalar", "g", 1e6, 2, 0.001, true}.record(1, 10, true),
		launched{"wide", "g", 1.034e6, 2, 0.0015, true}.record(2, 10, true),
	}
	for k, own := range []float64{1, 0.93} {
		r := &records[k]
		r.OwnClock = &own
		for i, ns := range r.LaunchMediansNS {
			r.LaunchReference[i] = ns
			r.LaunchCycles[i] = 4 * own * ns
		}
		edit(r)
	}
	return invocations.RecordsOf(records...)
}

// TestRankOwnClock ranks a wide kernel that takes longer and fewer cycles. By cycles, counted or at one reference clock
// as journals of before have them, it used to be the best.
func TestRankOwnClock(t *testing.T) {
	ofBefore := func(r *invocations.Record) {
		for i := range r.LaunchReference {
			r.LaunchReference[i] *= *r.OwnClock
		}
		r.OwnClock = nil
	}
	for _, c := range []struct {
		name string
		edit func(*invocations.Record)
		by   rank.Clock
	}{
		{"counted cycles", func(*invocations.Record) {}, rank.ReferenceClock},
		{"cycles by the clock", func(r *invocations.Record) { r.LaunchCycles = nil }, rank.ReferenceClock},
		{"counted cycles of before", ofBefore, rank.WallClock},
		{"a journal of before", func(r *invocations.Record) { ofBefore(r); r.LaunchCycles = nil }, rank.WallClock},
		{"one is of before", func(r *invocations.Record) {
			if *r.OwnClock != 1 {
				ofBefore(r)
			}
		}, rank.WallClock},
	} {
		ranking := groupsOf(wideAndScalar(c.edit))[0]
		if ranking.Clock != c.by {
			t.Errorf("%s: by %q, want %q", c.name, ranking.Clock, c.by)
		}
		if best, other := ranking.Rows[0], ranking.Rows[1]; best.Name != "scalar" || other.Standing != stats.Slower {
			t.Errorf("%s: %+v", c.name, ranking.Rows)
		}
	}
}

func TestRankLaunches(t *testing.T) {
	tests := []struct {
		name   string
		change func(*invocations.Record) // of the second member
		want   string
		rows   int
	}{
		{"all is counted", func(*invocations.Record) {}, "8 paired launches in cycles", 0},
		{"one has no cycles", func(r *invocations.Record) { r.LaunchCycles = nil },
			"8 paired launches at the reference clock", 0},
		{"one has no clock", func(r *invocations.Record) { r.LaunchCycles, r.LaunchReference = nil, nil },
			"8 paired launches", 0},
		{"one has only rounds", func(r *invocations.Record) { r.RecordedLaunches = invocations.RecordedLaunches{} },
			"8 paired rounds", 0},
		{"one has two launches", func(r *invocations.Record) { r.LaunchCycles = r.LaunchCycles[:2] },
			stats.MedianIntervals, 0},
	}
	for _, test := range tests {
		run := launchRun(true)
		test.change(at(run, 3))
		rankings := groupsOf(run.Records)
		if len(rankings) != 1 || rankings[0].How() != test.want {
			t.Errorf("%s: %q, want %q", test.name, rankings[0].How(), test.want)
			continue
		}
		if rows := rankings[0].Rows; rows[0].Variant != 2 || rows[1].Standing != stats.Slower ||
			math.Abs(rows[1].Ratio/4.396-1) > 0.01 {
			t.Errorf("%s: %+v", test.name, rows)
		}
	}
}

// The clock changes between the variants of a turn. At the reference clock they are equally fast.
func TestRankAtReferenceClock(t *testing.T) {
	records := []invocations.Record{
		launched{"slow clock", "g", 1e6, 2, 0.001, true}.record(1, 10, false),
		launched{"fast clock", "g", 1e6, 2, 0.0015, true}.record(2, 10, false),
	}
	own := 1.0
	for i := range records[1].LaunchMediansNS {
		records[i%2].LaunchMediansNS[i] *= 0.9
	}
	for i := range records {
		records[i].OwnClock = &own
	}
	ranking := groupsOf(invocations.RecordsOf(records...))[0]
	if ranking.Clock != rank.ReferenceClock || ranking.Rows[1].Standing != stats.Same {
		t.Errorf("%+v", ranking)
	}
	for i := range records {
		records[i].LaunchReference = nil
	}
	if ranking := groupsOf(invocations.RecordsOf(records...))[0]; ranking.Clock != rank.WallClock ||
		ranking.Rows[1].Standing != stats.Unknown {
		t.Errorf("without a clock: %+v", ranking)
	}
}

func TestReferenceColumns(t *testing.T) {
	run := launchRun(false)
	if text := write(t, "text", run); strings.Count(text, "at 3.6 GHz") != 2 {
		t.Errorf("the table and the ranking lack the time at the reference clock:\n%s", text)
	}
	for i := range run.Records.Len() { // as the clock was the usual one
		r := at(run, i)
		r.ReferenceNS, r.ReferenceLo, r.ReferenceHi = r.MedianNS, r.CILowNS, r.CIHighNS
	}
	if text := write(t, "text", run); strings.Count(text, "GHz") != 1 { // the ratios of the ranking are made of it
		t.Errorf("the time at the reference clock is that of the clock, and shown in the table, too:\n%s", text)
	}
	for i := range run.Rankings {
		run.Rankings[i].Clock = rank.WallClock
	}
	if text := write(t, "text", run); strings.Contains(text, "GHz") {
		t.Errorf("ratios are made of the median, and another figure is shown:\n%s", text)
	}
	other := 3.5
	run = launchRun(false)
	at(run, 0).ReferenceAt = &other
	if text := write(t, "text", run); !strings.Contains(text, "at reference clock") {
		t.Errorf("two reference clocks are shown as one:\n%s", text)
	}
}

func TestCountersAreAskedFor(t *testing.T) {
	run := launchRun(true)
	run.Counters = false
	if text := write(t, "text", run); strings.Contains(text, "counters, per call") {
		t.Errorf("counters are shown though nobody asked:\n%s", text)
	}
	run.Verbose = true
	if text := write(t, "text", run); !strings.Contains(text, "counters, per call") {
		t.Errorf("no counters:\n%s", text)
	}
	run = launchRun(false)
	run.Environment["counters"] = "none: the processor offers no counters to this virtual machine"
	const line = "counters none: the processor"
	if text := write(t, "text", run); strings.Contains(text, line) {
		t.Errorf("a reason for what nobody asked:\n%s", text)
	}
	run.Counters = true
	if text := write(t, "text", run); !strings.Contains(text, line) || strings.Contains(text, "per call") {
		t.Errorf("no reason:\n%s", text)
	}
}

func TestCount(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 6153: "6,153", 6153.4: "6,153", 999.97: "1,000", 153.27: "153.3", 12: "12", 1.5: "1.500",
		0.0021: "0.0021", 0.99999: "1.000", -0.0013: "-0.0013",
		3e-7: "< 0.0001", -3e-7: "< 0.0001", 1.52e6: "1,520,000", 3e25: "30000000000000000000000000",
	} {
		if got := Count(v); got != want {
			t.Errorf("Count(%v) = %q, want %q", v, got, want)
		}
	}
}
