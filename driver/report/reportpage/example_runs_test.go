package reportpage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// hostile is a text that would end an element, an attribute or a script if it were not escaped.
const hostile = `</script><!--<script>document.title="broken"</script>"'><img src=x onerror=document.title="broken">` +
	"\x1b[31m\u202e"

// measured returns a record of an invocation with so many launches and samples of each, at about medianNS.
func measured(inv invocations.Invocation, medianNS float64, launches, each int) invocations.Record {
	random := rand.New(rand.NewPCG(uint64(launches), uint64(len(inv.Name))))
	inv.Runtime, inv.Artifact.Path = "hat", "/p/kernels.hat"
	inv.Measure.Mode = invocations.Warm
	res := invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Calling: invocations.Calling{Mode: invocations.Warm, Stop: invocations.StopPrecision, CallsPerBatch: 10,
			Sets: 1, Clock: "tsc", Iterations: int64(10 * launches * each)},
		Merged: launches,
		Canary: invocations.Canary{Batches: 100, Quiet: 80},
		Batches: invocations.Batches{Counters: []invocations.Count{{Name: "instructions", PerCall: 12345,
			Exact: true}}},
		Layers: []string{"seccomp", "landlock"}, Work: invocations.Work{FLOP: 1e6},
	}
	spread := &invocations.Spread{Launches: launches}
	for launch := range launches {
		var samples []float64
		for range each {
			v := medianNS * (1 + 0.002*float64(launch%5) + 0.01*random.ExpFloat64())
			samples = append(samples, v)
			res.SamplesNS, res.CPUSamplesNS = append(res.SamplesNS, v), append(res.CPUSamplesNS, v)
		}
		number := launch
		if launch > 0 {
			number++ // the second one was set apart
		}
		spread.Numbers, spread.MediansNS = append(spread.Numbers, number), append(spread.MediansNS, stats.Median(samples))
	}
	for i := 0; i < len(res.SamplesNS); i += 50 {
		res.SamplesNS[i] *= 1.5 // the thread waited
		res.Apart.NS = append(res.Apart.NS, medianNS*1.7)
		res.Apart.After = append(res.Apart.After, int64(i))
	}
	res.Summary = stats.Summarize(res.SamplesNS, res.CPUSamplesNS)
	res.Spread, res.MergedSamples = spread, slices.Repeat([]int{each}, launches)
	return invocations.NewRecord(inv, res)
}

// withDispatches adds n dispatches to a record; each three of them have one name.
func withDispatches(r invocations.Record, n int) invocations.Record {
	host, traced := 3e3, *r.MedianNS
	r.DispatchSource, r.HostNS, r.TracedNS = invocations.ByTracy, &host, &traced
	for i := range n {
		ns := traced / float64(n) * (0.5 + float64(i%7)/7)
		r.Dispatches = append(r.Dispatches, invocations.DispatchRecord{Ordinal: i, Count: 10, MedianNS: &ns,
			Name: fmt.Sprintf("main_dispatch_%d_matmul_like_128x128x%d_f32", i/3, i/3), Workgroups: 16, Threads: 1})
	}
	for i := range 2 {
		call := invocations.TracedCallRecord{Number: 7 * i, NS: traced * float64(1+i)}
		at := 0.0
		for _, d := range r.Dispatches {
			at += 100
			call.Dispatches = append(call.Dispatches, invocations.PlacedDispatchRecord{Name: d.Name, StartNS: at,
				WallNS: *d.MedianNS / 2})
			at += *d.MedianNS / 2
		}
		r.TracedCalls = append(r.TracedCalls, call)
	}
	return r
}

// exampleRun returns a run with a group, axes, dispatches, every status, and hostile texts.
func exampleRun() report.Run {
	var records []invocations.Record
	add := func(inv invocations.Invocation, medianNS float64) {
		inv.ID = fmt.Sprintf("%016x", len(records))
		records = append(records, measured(inv, medianNS, 6, 80))
	}
	for _, m := range []int{16, 64, 256} {
		for _, n := range []int{8, 32} {
			add(invocations.Invocation{Name: fmt.Sprintf("product/M=%d/N=%d", m, n), Function: "product"}, float64(m*n)*3)
		}
	}
	for _, variant := range []string{"naive", "tiled"} {
		for _, n := range []int{32, 64, 128} {
			add(invocations.Invocation{Name: fmt.Sprintf("%s/n=%d", variant, n), Group: fmt.Sprintf("gemm/n=%d", n),
				Function: variant}, float64(n*n)*float64(len(variant)+n/64))
		}
	}
	add(invocations.Invocation{Name: hostile, Function: hostile, Group: hostile,
		Parameters: map[string]string{hostile: hostile}}, 5e6)
	add(invocations.Invocation{Name: hostile + "2", Function: hostile, Group: hostile,
		Parameters: map[string]string{hostile: "2"}}, 6e6)
	records[0] = withDispatches(records[0], 3)
	records[1] = withDispatches(records[1], 102)
	records[2].Notes = []string{hostile}
	records[2].Verdicts = []invocations.Verdict{invocations.Contended, invocations.Bimodal}
	for i, status := range append(slices.Clone(invocations.Statuses[1:]), hostile) {
		res := invocations.Result{Status: status, Error: "the reason of " + string(status), Crash: &invocations.Crash{
			Signal: "SIGSEGV", Phase: "measure", Stderr: []string{hostile}}}
		records = append(records, invocations.NewRecord(invocations.Invocation{ID: fmt.Sprintf("ended-%d", i),
			Name: "ended " + string(status), Runtime: "hat"}, res))
	}
	return report.Run{
		Build: "devel", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Command: []string{"zonemark", "run", hostile},
		Environment: map[string]string{"cpu": "Example CPU", hostile: hostile}, Records: invocations.RecordsOf(records...),
		Rankings: groupsOf(invocations.RecordsOf(records...)), Complete: true,
	}
}

// largeRun returns a run of n invocations, each with ten launches, a thousand samples and twelve dispatches.
func largeRun(n int) report.Run {
	run := report.Run{Environment: map[string]string{"cpu": "Example CPU"}, Complete: true}
	var records []invocations.Record
	for i := range n {
		inv := invocations.Invocation{ID: fmt.Sprintf("%016x", i), Name: fmt.Sprintf("kernel_%d/n=%d", i/10, 1<<(i%10)),
			Group: fmt.Sprintf("group %d", i/20), Function: fmt.Sprintf("kernel_%d", i/10),
			Arguments: []invocations.Argument{{Name: "A", Element: invocations.Float32, Shape: []int64{8, int64(i)},
				Usage: invocations.Input}}}
		records = append(records, withDispatches(measured(inv, 1e3*math.Sqrt(float64(i+1)), 10, 100), 12))
	}
	run.Records = invocations.RecordsOf(records...)
	run.Rankings = groupsOf(run.Records)
	return run
}

// groupsOf ranks the groups of records that are in memory.
func groupsOf(records *invocations.Records) []rank.Ranking {
	rankings, err := rank.Groups(records, stats.RankOptions{})
	if err != nil {
		panic(err)
	}
	return rankings
}
