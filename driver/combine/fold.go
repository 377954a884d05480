package combine

import (
	"slices"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// folding is a result that is made of its parts: launches, the turns of a launch, or hosts.
type folding struct {
	out   *invocations.Result  // begins as a copy of the first part
	parts []invocations.Result // those that count
	all   []invocations.Result // with those that are left out

	disturbed []bool        // of turns: those of all that were
	spent     time.Duration // of launches: in all of them
	spread    spreadOf      // of launches: how far they agree
	hosts     hosts         // the names of the parts
}

// fold makes one field of a result. It changes no other one, but may add notes.
type fold func(*folding)

// A level is what parts of a result are.
type level int

const (
	ofTurns level = iota // of a launch
	ofLaunches
	ofHosts
	levels
)

// rule says how a field of a result is made of those of its parts, for each level.
type rule struct {
	field string
	folds [levels]fold
}

// always returns the rule of a field that all levels make alike.
func always(field string, f fold) rule { return rule{field, [levels]fold{f, f, f}} }

// first leaves a field as the first part has it: what all parts have in common, or what is asked for only once.
func first(*folding) {}

// run makes the fields of the result that rules name, in their order.
func (f *folding) run(of level, rules []rule) {
	for i := range rules {
		rules[i].folds[of](f)
	}
}

// whatever are the rules for what every result has, however it ended. What notes say comes before the notes that other
// rules add.
func whatever() []rule {
	return []rule{
		always("ID", first), always("Number", first), always("Status", first), always("Error", first),
		always("Crash", first), always("Remedies", first), always("Stop", first), always("Mode", first),
		always("Properties", first), always("Parameters", first), always("Profile", first),
		always("TraceOverheadNS", first), always("TraceOverheadPercent", first), always("Layers", first),
		always("SandboxProfile", first), always("SandboxAllowed", first), always("Sets", first), always("SetBytes", first),
		always("Clock", first), always("CPU", first), always("CyclesCounted", first), always("PlannedNS", first),
		always("SimulatedCycles", first), always("SimulatedCores", first), always("Hexagon", first), always("FLOP", first),
		always("Bytes", first), always("Restored", first), always("Reordered", first), always("ReadsClock", first),
		always("Places", first), always("AccountedNS", first), always("ShortShare", first), always("EarlyNS", first),
		always("Dropped", first), // by a race, after its launches are one
		{"Merged", [levels]fold{first, foldCount, sumOf(func(r *invocations.Result) *int { return &r.Merged })}},
		{"SpentNS", [levels]fold{first, foldSpent, sumOf(func(r *invocations.Result) *int64 { return &r.SpentNS })}},
		{"Notes", [levels]fold{foldNotes, ownNotes, foldHostNotes}},
		{"Verdicts", [levels]fold{foldMostVerdicts, foldLaunchVerdicts, foldVerdicts}},
	}
}

// timed are the rules for what only results with times have. The summary follows the samples.
func timed() []rule {
	return []rule{
		always("SamplesNS", appended(func(r *invocations.Result) *[]float64 { return &r.SamplesNS })),
		always("CPUSamplesNS", appended(func(r *invocations.Result) *[]float64 { return &r.CPUSamplesNS })),
		always("RoundsNS", appended(func(r *invocations.Result) *[]float64 { return &r.RoundsNS })),
		// What is kept of the cycles of a launch, with its turns, the decision after it needs. Of launches, the medians are in
		// the spread.
		{"CyclesSamples", [levels]fold{appended(cyclesOf), first, first}},
		{"Cycles", [levels]fold{first, noCycles, noCycles}},
		{"Neighbours", [levels]fold{foldNeighbours, noneOf(neighboursOf), noneOf(neighboursOf)}},
		{"MergedSamples", [levels]fold{countSamplesOf, countSamplesOf, appended(mergedSamplesOf)}},
		{"MergedIterations", [levels]fold{countIterationsOf, countIterationsOf, appended(mergedIterationsOf)}},
		always("Apart", foldApart),
		always("Iterations", sumOf(func(r *invocations.Result) *int64 { return &r.Iterations })),
		always("CallsPerBatch", func(f *folding) { f.out.CallsPerBatch = middleCalls(f.parts) }),
		always("OverheadNS", foldOverhead),
		{"Discarded", [levels]fold{foldTurnsDiscarded, foldDiscarded, foldDiscarded}},
		{"WarmupCalls", [levels]fold{lastWarmup, sumOfAll(warmupOf), sumOfAll(warmupOf)}},
		{"Canary", [levels]fold{foldAllCanaries, foldCanaries, foldAllCanaries}},
		{"FirstNS", [levels]fold{first, foldFirst, first}},
		{"Spread", [levels]fold{first, foldSpread, foldHostSpreads}},
		{"Summary", [levels]fold{summarizeTurns, summarizeLaunches, summarizeHosts}},
		{"Counters", [levels]fold{foldAllCounters, foldCounters, foldAllCounters}},
	}
}

func cyclesOf(r *invocations.Result) *[]float64 { return &r.CyclesSamples }

func neighboursOf(r *invocations.Result) *[]float64 { return &r.Neighbours }

func mergedSamplesOf(r *invocations.Result) *[]int { return &r.MergedSamples }

func mergedIterationsOf(r *invocations.Result) *[]int64 { return &r.MergedIterations }

func warmupOf(r *invocations.Result) *int64 { return &r.WarmupCalls }

// appended returns what appends the lists of the parts that count.
func appended[T any](at func(*invocations.Result) *[]T) fold {
	return func(f *folding) {
		var list []T
		for i := range f.parts {
			list = append(list, *at(&f.parts[i])...)
		}
		*at(f.out) = list
	}
}

// noCycles leaves out what was kept of the cycles of a launch.
func noCycles(f *folding) { f.out.Cycles = stats.Cycles{} }

// noneOf returns what leaves a list out of the result.
func noneOf[T any](at func(*invocations.Result) *[]T) fold {
	return func(f *folding) { *at(f.out) = nil }
}

// sumOf and sumOfAll return what adds up a number of the parts that count, or of all.
func sumOf[T int | int64](at func(*invocations.Result) *T) fold {
	return func(f *folding) { *at(f.out) = sum(f.parts, at) }
}

func sumOfAll[T int | int64](at func(*invocations.Result) *T) fold {
	return func(f *folding) { *at(f.out) = sum(f.all, at) }
}

func sum[T int | int64](parts []invocations.Result, at func(*invocations.Result) *T) (n T) {
	for i := range parts {
		n += *at(&parts[i])
	}
	return n
}

// foldFirst takes the median: in the first launch, a call that compares results may have come before the first one.
func foldFirst(f *folding) {
	var ns []float64
	for i := range f.all {
		ns = append(ns, f.all[i].FirstNS)
	}
	f.out.FirstNS = stats.Median(ns)
}

func foldCount(f *folding) { f.out.Merged = len(f.parts) }

func foldSpent(f *folding) { f.out.SpentNS = int64(f.spent) }

// ownNotes copies the notes of the first launch, which has what is told only once.
func ownNotes(f *folding) { f.out.Notes = slices.Clone(f.all[0].Notes) }

func foldNotes(f *folding) {
	f.out.Notes = nil
	for i := range f.all {
		AddNew(&f.out.Notes, f.all[i].Notes)
	}
}

func foldHostNotes(f *folding) { f.out.Notes = f.hosts.notes(f.all) }

// foldVerdicts joins the verdicts of the parts that count.
func foldVerdicts(f *folding) {
	f.out.Verdicts = nil
	for i := range f.parts {
		AddNew(&f.out.Verdicts, f.parts[i].Verdicts)
	}
}

// foldLaunchVerdicts does so, and takes those of the first launch also if that is left out.
func foldLaunchVerdicts(f *folding) {
	foldVerdicts(f)
	addFirstVerdicts(f)
}

// addFirstVerdicts adds the verdicts on what only the first launch looks for.
func addFirstVerdicts(f *folding) {
	for _, v := range []invocations.Verdict{invocations.Refused, invocations.Unfinished} {
		if countOf(f.all, v) > 0 {
			f.out.AddVerdict(v)
		}
	}
}

// foldMostVerdicts takes the verdicts of most turns: a single one shows less than all of them.
func foldMostVerdicts(f *folding) {
	f.out.Verdicts = nil
	for _, v := range invocations.AllVerdicts {
		most := 2*countOf(f.all, v) > len(f.all)
		if v == invocations.Contended { // turns that count
			most = mostly(f.disturbed) && countOf(f.all, v) > 0
		}
		if most && v != invocations.Clean {
			f.out.AddVerdict(v)
		}
	}
	addFirstVerdicts(f)
	if len(f.out.Verdicts) == 0 {
		f.out.Verdicts = []invocations.Verdict{invocations.Clean}
	}
}

func foldNeighbours(f *folding) { f.out.Neighbours = neighbours(f.all) }

func countSamplesOf(f *folding) {
	f.out.MergedSamples = nil
	for i := range f.parts {
		f.out.MergedSamples = append(f.out.MergedSamples, len(f.parts[i].SamplesNS))
	}
}

func countIterationsOf(f *folding) {
	f.out.MergedIterations = nil
	for i := range f.parts {
		f.out.MergedIterations = append(f.out.MergedIterations, f.parts[i].Iterations)
	}
}

// foldApart joins the batches that were set apart, with their places among all kept ones.
func foldApart(f *folding) {
	f.out.Apart = invocations.ApartBatches{}
	before := int64(0)
	for i := range f.parts {
		one := &f.parts[i]
		f.out.Apart.NS = append(f.out.Apart.NS, one.Apart.NS...)
		f.out.Apart.CPUNS = append(f.out.Apart.CPUNS, one.Apart.CPUNS...)
		for _, after := range one.Apart.After {
			f.out.Apart.After = append(f.out.Apart.After, before+after)
		}
		before += int64(len(one.SamplesNS))
	}
}

func foldOverhead(f *folding) {
	f.out.OverheadNS = 0
	for i := range f.parts {
		f.out.OverheadNS += f.parts[i].OverheadNS / float64(len(f.parts))
	}
}

func foldDiscarded(f *folding) {
	f.out.Discarded = invocations.Discarded{
		Disturbed: sum(f.all, func(r *invocations.Result) *int64 { return &r.Discarded.Disturbed }),
		Warmup:    sum(f.all, func(r *invocations.Result) *int64 { return &r.Discarded.Warmup }),
	}
}

// foldTurnsDiscarded counts what warmed up once: each turn tells what all before it have taken.
func foldTurnsDiscarded(f *folding) {
	foldDiscarded(f)
	f.out.Discarded.Warmup = f.all[len(f.all)-1].Discarded.Warmup
}

func lastWarmup(f *folding) { f.out.WarmupCalls = f.all[len(f.all)-1].WarmupCalls }

func foldAllCanaries(f *folding) { f.out.Canary = mergeCanaries(f.all, f.all) }

// foldCanaries adds up the probes of launches. Their clock follows from the cycles of all of them, of which an executor
// knows only its own.
func foldCanaries(f *folding) {
	f.out.Canary = mergeCanaries(f.all, f.parts)
	if why := f.out.Canary.Why; why != "" {
		AddNew(&f.out.Notes, []string{"no probes of how quiet the core was: " + why})
	}
	if s := f.spread; s.Cycles.Known() {
		f.out.Canary.GHz = s.Cycles.Value / s.Time.Value
	}
}

func foldSpread(f *folding) { f.out.Spread = f.spread.Spread }

func foldHostSpreads(f *folding) { f.out.Spread = spreadOfHosts(f.parts) }

func summarizeTurns(f *folding) { f.out.Summary = stats.Summarize(f.out.SamplesNS, f.out.CPUSamplesNS) }

func summarizeLaunches(f *folding) { f.summarize(f.spread.Time) }

func summarizeHosts(f *folding) { f.summarize(stats.OnAny(timesOf(f.parts))) }

// summarize sums the samples up, around the time of all parts with its interval.
func (f *folding) summarize(time stats.Interval) {
	summarize(f.out, f.parts)
	f.out.Summary.MedianNS, f.out.Summary.CILowNS, f.out.Summary.CIHighNS = time.Value, time.Low, time.High
}

func foldCounters(f *folding) { f.out.Counters = mergeCounters(f.parts, f.out) }

// foldAllCounters adds no notes, which would be about launches.
func foldAllCounters(f *folding) { f.out.Counters = mergeCounters(f.all, &invocations.Result{}) }
