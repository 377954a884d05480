package halide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// profileFeature is the target feature of pipelines that carry Halide's profiler.
const profileFeature = "profile"

// knownState is a function of Halide's runtime that the versions have whose profiler's structs are those of layout.go:
// 19 to 21. Their metadata have the same version as those of all others.
const knownState = "halide_profiler_instance_start"

// withProfile gives a call its profile if it is wanted and a pipeline with the profiler is there. The calls of the
// profile are made with arguments of their own.
func (p *program) withProfile(call *executor.Call, own *pipeline, inv *invocations.Invocation) error {
	with := own
	if p.profile != nil {
		var err error
		if with, err = p.profile.pipeline(inv.Function); err != nil {
			return fmt.Errorf("option %s: %w", OptionProfileBuild, err)
		}
		if !with.profiled() {
			return fmt.Errorf("option %s: %s: pipeline %s was made without the target feature %s; build it with it",
				OptionProfileBuild, with.path, inv.Function, profileFeature)
		}
	}
	if own.profiled() {
		call.Notes = append(call.Notes, "the pipeline carries Halide's profiler, which takes time in each call")
	}
	if inv.Measure.ProfileCalls <= 0 || !with.profiled() {
		return nil
	}
	if !with.file.Has(knownState) || with.runtime.profilerState == 0 || with.runtime.profilerReset == 0 ||
		with.runtime.profilerLock == 0 || with.runtime.profilerFree == 0 {
		call.Notes = append(call.Notes, "no times of Funcs: the profiler is not that of Halide 19 to 21, the versions "+
			"that zonemark knows; build the pipeline with one of them")
		return nil
	}
	call.Profile = func(calls int64) (invocations.Profile, error) { return with.profile(inv, calls) }
	return nil
}

// profiled reports whether the pipeline carries Halide's profiler.
func (p *pipeline) profiled() bool { return parseTarget(p.metadata.Target).has(profileFeature) }

// The profiler looks at the running Func in intervals. Calls are made in rounds.
const (
	samplingUS    = 100
	profileRounds = 10
	// roundTime is how long a round lasts at least: some hundred looks, unless the budget is smaller.
	roundTime = 60 * time.Millisecond
)

// funcTimes are what one round says of a Func.
type funcTimes struct {
	ns, allocations, threads float64 // per call; threads that worked on it
	peak, stack              int64   // bytes
}

// callTimer makes calls of a pipeline one after the other.
type callTimer struct {
	loop   *native.Loop // nil where there is none
	call   func() error // makes a call, if there is no loop
	failed func() error // of the loop
}

func (p *pipeline) timer(s *argumentSets) (*callTimer, error) {
	work, err := p.enter(s)
	if err != nil {
		return nil, err
	}
	if f, ok := work.(*executor.Function); ok {
		return &callTimer{call: f.Invoke}, nil
	}
	code := work.(*executor.Native)
	loop, err := native.NewLoop(native.MonotonicClock(), code.Entry, code.Frames)
	return &callTimer{loop: loop, failed: code.Failed}, err
}

func (t *callTimer) run(calls int) error {
	if t.loop != nil {
		t.loop.Run(calls, 1)
		return t.failed()
	}
	for range calls {
		if err := t.call(); err != nil {
			return err
		}
	}
	return nil
}

func (t *callTimer) close() {
	if t.loop != nil {
		_ = t.loop.Close() // unmaps our own memory
	}
}

// round is what one round of calls says.
type round struct {
	callNS, pipelineNS, runs float64
	samples                  int64
	names                    []string
	funcs                    map[string]funcTimes
}

// profile makes rounds of calls under Halide's profiler, at least as many calls as asked for, and returns where their
// time went.
func (p *pipeline) profile(inv *invocations.Invocation, calls int64) (invocations.Profile, error) {
	b, err := p.bind(inv)
	if err != nil {
		return invocations.Profile{}, err
	}
	s, err := newSets(b, arguments.Request{Seed: inv.Measure.Seed})
	if err != nil {
		return invocations.Profile{}, err
	}
	defer s.Free()
	state := at[profilerState](dl.Call(p.runtime.profilerState))
	before := state.sleepTimeUS
	state.sleepTimeUS = samplingUS
	defer func() { state.sleepTimeUS = before }()
	timer, err := p.timer(s)
	if err != nil {
		return invocations.Profile{}, err
	}
	defer timer.close()
	limit := inv.Measure.MaxTime() / profileRounds
	effort := effort{calls: (calls + profileRounds - 1) / profileRounds, least: min(roundTime, limit), most: limit}
	var rounds []round
	for k := range profileRounds + 1 {
		r, err := p.profileRound(timer, state, effort)
		if err != nil {
			return invocations.Profile{}, fmt.Errorf("%s: %w", p.path, err)
		}
		if k > 0 { // the first one starts threads and touches memory
			rounds = append(rounds, r)
		}
	}
	return joinRounds(rounds), nil
}

// effort says how long a round is.
type effort struct {
	calls       int64 // at least, unless they take longer than most
	least, most time.Duration
}

// profileRound makes calls, more and more at a time, so that what lies between them in Go takes no share of the time.
func (p *pipeline) profileRound(t *callTimer, state *profilerState, e effort) (round, error) {
	dl.Call(p.runtime.profilerReset)
	start, made := time.Now(), int64(0)
	for n := int64(1); ; n *= 2 {
		if err := t.run(int(n)); err != nil {
			return round{}, err
		}
		made += n
		if spent := time.Since(start); made >= e.calls && spent >= e.least || spent >= e.most {
			break
		}
	}
	r := round{callNS: float64(time.Since(start)) / float64(made), funcs: map[string]funcTimes{}}
	address := uintptr(unsafe.Pointer(state))
	dl.Call(p.runtime.profilerLock, address)
	defer dl.Call(p.runtime.profilerFree, address)
	var outer *profiledPipeline // others are called by it, so that it takes the most time
	for next := state.pipelines; next != 0; {
		stats := at[profiledPipeline](next)
		if next = stats.next; stats.runs > 0 && (outer == nil || stats.timeNS > outer.timeNS) {
			outer = stats
		}
	}
	if outer != nil {
		r.add(outer)
	}
	return r, nil
}

// add adds the Funcs of a pipeline. The profiler knows the whole time of a run, and divides it among the Funcs that it
// has seen running. It sees nothing of a short run that ends between two looks. So the time of all runs is divided as
// that of those that it has seen.
func (r *round) add(p *profiledPipeline) {
	r.runs, r.samples = float64(p.runs), int64(p.samples)
	r.pipelineNS = float64(p.timeNS) / r.runs
	seen := 0.0
	funcs := unsafe.Slice(at[profiledFunc](p.funcs), max(0, p.numFuncs))
	for i := range funcs {
		seen += float64(funcs[i].timeNS)
	}
	for i := range funcs {
		f := &funcs[i]
		name := text(f.name)
		if _, again := r.funcs[name]; !again {
			r.names = append(r.names, name)
		}
		sum := r.funcs[name]
		sum.ns += float64(f.timeNS) / max(1, seen) * r.pipelineNS
		sum.allocations += float64(f.allocations) / r.runs
		sum.threads = max(sum.threads, float64(f.threadsNumerator)/max(1, float64(f.threadsDenominator)))
		sum.peak, sum.stack = max(sum.peak, int64(f.memoryPeak)), max(sum.stack, int64(f.stackPeak))
		r.funcs[name] = sum
	}
}

const (
	// leastSamples is how many looks of the profiler say something about shares of the time.
	leastSamples = 100
	// tolerance is how far the time of a pipeline may exceed that of a call, as a share of it.
	tolerance = 0.05
	// rounding is what sums of numbers may differ by, as a share of a call.
	rounding = 1e-6
)

// joinRounds makes a profile of the faster half of the rounds: other work on the machine slows down some. Times are
// means over their calls, so that the Funcs sum to the time of the pipeline. What a call takes beside it is its host
// time: starting and ending, and the profiler's own work.
func joinRounds(rounds []round) invocations.Profile {
	rounds = slices.SortedFunc(slices.Values(rounds), func(a, b round) int { return cmp.Compare(a.callNS, b.callNS) })
	rounds = rounds[:(len(rounds)+1)/2]
	var p invocations.Profile
	var names []string
	var samples int64
	for _, r := range rounds {
		p.CallNS += r.callNS / float64(len(rounds))
		if r.runs > 0 { // else the profiler lists nothing, and nobody saw the host
			p.HostNS += (r.callNS - r.pipelineNS) / float64(len(rounds))
		}
		samples += r.samples
		for _, name := range r.names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	p.UnexplainedNS = p.CallNS - p.HostNS
	for _, name := range names {
		if d, ran := joinFunc(name, rounds); ran {
			d.Ordinal = len(p.Dispatches)
			p.Dispatches = append(p.Dispatches, d)
			p.UnexplainedNS -= d.MedianNS
		}
	}
	p.Notes = append(p.Notes, fmt.Sprintf("times of Funcs are means, from %d looks of Halide's profiler %d µs apart",
		samples, samplingUS))
	if samples < leastSamples {
		p.Partial, p.Notes = true, append(p.Notes, "these are too few looks for shares of the time; allow more time")
	}
	if p.HostNS < -tolerance*p.CallNS {
		p.Partial, p.Notes = true, append(p.Notes, fmt.Sprintf("the profiler's time of the "+
			"pipeline is %.1f %% of a call", 100*(1-p.HostNS/p.CallNS)))
	}
	p.HostNS = max(0, p.HostNS)
	if p.UnexplainedNS < rounding*p.CallNS {
		p.UnexplainedNS = 0
	}
	return p
}

// joinFunc makes a dispatch of what the rounds say of a Func. It returns false for one that took no time and allocated
// nothing, such as the profiler's own entries.
func joinFunc(name string, rounds []round) (d invocations.Dispatch, ran bool) {
	d = invocations.Dispatch{Name: name, MinNS: math.Inf(1)}
	threads := 0.0
	for _, r := range rounds {
		f := r.funcs[name]
		d.MedianNS += f.ns / float64(len(rounds))
		d.MinNS = min(d.MinNS, f.ns)
		d.Allocations += f.allocations / float64(len(rounds))
		threads += f.threads / float64(len(rounds))
		d.PeakBytes, d.StackBytes = max(d.PeakBytes, f.peak), max(d.StackBytes, f.stack)
		d.TotalNS += f.ns * r.runs
		d.Count += int64(r.runs)
	}
	d.Threads = int(math.Round(threads))
	return d, d.TotalNS > 0 || d.Allocations > 0
}

// at returns the struct at an address of the library.
func at[T any](address uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&address))) }

// text returns the C string at an address.
func text(address uintptr) string {
	if address == 0 {
		return ""
	}
	first := at[byte](address)
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(first), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(first, n))
}
