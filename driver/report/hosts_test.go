package report

import (
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// onHosts returns a record of launches on several hosts. On each of them the launches take some times as long.
func onHosts(l launched, id, launches int, factors map[string]float64, names ...string) invocations.Record {
	var r invocations.Record
	var medians [][]float64
	var times []stats.Interval
	for h, name := range names {
		own := l
		own.instructions *= factors[name]
		part := own.record(id, launches, false)
		median := *part.MedianNS
		if h == 0 {
			r = part
			r.LaunchMediansNS, r.LaunchReference, r.SamplesNS, r.MergedSamples = nil, nil, nil, nil
			r.ReferenceNS, r.ReferenceLo, r.ReferenceHi, r.ReferenceAt = nil, nil, nil, nil
		}
		for n := range launches {
			r.LaunchNumbers = append(r.LaunchNumbers, n*len(names)+h)
		}
		r.LaunchMediansNS = append(r.LaunchMediansNS, part.LaunchMediansNS...)
		r.SamplesNS, r.MergedSamples = append(r.SamplesNS, part.SamplesNS...), append(r.MergedSamples, part.MergedSamples...)
		medians = append(medians, part.LaunchMediansNS)
		times = append(times, stats.Interval{Value: median, Low: *part.CILowNS, High: *part.CIHighNS})
		r.Hosts = append(r.Hosts, invocations.HostRecord{Host: name, Status: invocations.OK, Launches: part.Launches,
			Verdicts: part.Verdicts, MedianNS: part.MedianNS, CILowNS: part.CILowNS, CIHighNS: part.CIHighNS})
	}
	held, all := stats.OnAny(times), launches*len(names)
	between := stats.ComponentsOf(medians, 0).Hosts
	r.MedianNS, r.CILowNS, r.CIHighNS, r.Launches, r.BetweenHostsNS = &held.Value, &held.Low, &held.High, &all, &between
	if stats.Apart(times) {
		r.Verdicts = []invocations.Verdict{invocations.HostsDiffer}
	}
	return r
}

// spreadRun returns a run whose invocations were each measured on three hosts.
func spreadRun() Run {
	names := []string{"n1", "n2", "n3"}
	equal := map[string]float64{"n1": 1, "n2": 1, "n3": 1}
	slow := map[string]float64{"n1": 1, "n2": 1.02, "n3": 1.3}
	records := []invocations.Record{
		onHosts(launched{"add", "", 6153, 3.2, 0.002, true}, 1, 5, equal, names...),
		onHosts(launched{"gather", "", 1.1e6, 0.4, 0.002, true}, 2, 5, slow, names...),
		onHosts(launched{"gemm_tiled", "gemm", 1.52e6, 3.61, 0.001, true}, 3, 5, equal, names...),
		onHosts(launched{"gemm_naive", "gemm", 1.6e6, 3.61, 0.001, true}, 4, 5, map[string]float64{"n1": 0.9, "n2": 1.1,
			"n3": 1.1}, names...),
		{ID: "5", Name: "broken", RecordedSubject: invocations.RecordedSubject{Runtime: "hat"},
			Status: invocations.Crashed, Error: "on host n2: SIGSEGV",
			RecordedRun: invocations.RecordedRun{Mode: invocations.Warm},
			RecordedHosts: invocations.RecordedHosts{Hosts: []invocations.HostRecord{
				{Host: "n1", Status: invocations.OK}, {Host: "n2", Status: invocations.Crashed, Error: "SIGSEGV"}}}},
	}
	list := invocations.RecordsOf(records...)
	return Run{Build: "v1.1.0", Environment: map[string]string{"cpu": "Example 3000", "host": "n1 | n2 | n3"},
		Records: list, Rankings: groupsOf(list), Complete: true, Verbose: true}
}

// sharedRun returns a run whose invocations were shared by two hosts.
func sharedRun() Run {
	run := launchRun(false)
	for i := range run.Records.Len() {
		at(run, i).Host = []string{"n1", "n2"}[i%2]
	}
	return run
}

// A ranking of what several hosts have measured holds on each of them.
func TestRankOnHosts(t *testing.T) {
	run := spreadRun()
	if len(run.Rankings) != 1 || run.Rankings[0].Method != stats.Paired || run.Rankings[0].Pairs != 15 {
		t.Fatalf("%+v", run.Rankings)
	}
	// It is faster than the other one on n1, and slower on n2 and n3.
	if last := run.Rankings[0].Rows[1]; last.Standing != stats.Unknown || last.Low > 1 || last.High < 1.1 {
		t.Errorf("%+v", last)
	}
	at(run, 3).Hosts = at(run, 3).Hosts[:2]
	if r := groupsOf(run.Records)[0]; r.Method != stats.MedianIntervals {
		t.Errorf("launches on other hosts are paired: %+v", r)
	}
}

// Rounds of what is loaded once, such as models, stand host by host in records. They are paired on each host.
func TestRankRoundsOnHosts(t *testing.T) {
	inRounds := func(name string, onHost ...float64) invocations.Record {
		r := invocations.Record{Kind: invocations.ResultKind, ID: name, Name: name, Group: "model",
			RecordedSubject: invocations.RecordedSubject{Runtime: "tt"},
			Status:          invocations.OK, RecordedRun: invocations.RecordedRun{Mode: invocations.Warm}}
		r.MedianNS = &onHost[0]
		for h, ns := range onHost {
			r.Hosts = append(r.Hosts, invocations.HostRecord{Host: string(rune('a' + h)), Status: invocations.OK})
			for round := range 6 {
				r.SamplesNS = append(r.SamplesNS, ns*(1+0.001*float64(round%3)))
				r.MergedSamples = append(r.MergedSamples, 1)
			}
		}
		return r
	}
	// It is slower on both hosts, much more so on the second one.
	list := invocations.RecordsOf(inRounds("x", 100, 100), inRounds("y", 102, 160))
	row := groupsOf(list)[0].Rows[1]
	if row.Variant != 1 || row.Standing != stats.Slower || row.Low < 1.01 || row.Low > 1.03 || row.High < 1.59 {
		t.Errorf("%+v", row)
	}
}
