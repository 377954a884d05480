package driver

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"zonemark/driver/executors"
	"zonemark/driver/filehash"
	"zonemark/driver/journal"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// runner measures the invocations of a plan, for Execute.
type runner struct {
	Executor executors.Starter // of sandboxed executors that measure
	Emulator executors.Starter // of executors that start emulators; nil: those of Executor
	Hosts    []*Host           // that measure instead of this machine
	Spread   bool              // every host measures every invocation
	Build    string            // of zonemark, for the handshake
	Words    executors.Words   // of remedies; may be nil
	Seed     uint64            // of the order
	Pairs    *Pairs            // nil: every invocation is measured for itself
	Top      int               // see Execution
	Journal  *journal.Writer   // nil: a temporary one
	Done     *journal.Done     // results of an earlier run
	// Trace makes the traced passes. It is called after an executor has started; may be nil.
	Trace    func(context.Context) (map[string]invocations.Profile, error)
	Profiles map[string]invocations.Profile // by id: results of the traced passes
	// Machine is the knowledge about the machine, which the run updates and the caller saves. Nil means that nothing is
	// known or learned.
	Machine  *machine.Knowledge
	Progress func(Progress) // called before each launch and round, and with each result when the journal has it; may be nil
	// Loaded returns the files that executors load for an invocation; nil: nobody watches them.
	Loaded func(*invocations.Invocation) []string
	// Part receives what each of several hosts has measured, see Execution; may be nil.
	Part func(host, position int, record *invocations.Record)
	// Machines is the file with the knowledge of Hosts, and Note receives what becomes of them. They may be empty.
	Machines string
	Note     func(format string, args ...any)
}

// Progress tells how far a run has come.
type Progress struct {
	Finished, Total  int
	Name             string              // of the invocation that is being measured
	Launch, Launches int                 // number of the launch, 0-based, and of all that are planned; 0: as many as it takes
	Record           *invocations.Record // set if an invocation has just ended
	Tracing          bool                // in the traced pass, before measuring
	MedianNS         float64             // of the launches of the invocation so far, per call; 0: not known
	Elapsed          time.Duration       // since the run began to measure
	Left             time.Duration       // how long it will still take; 0: not known
	AtMost           bool                // Left follows from the limits only

	least time.Duration // that the invocation will still take
}

// Outcome is the result of a run.
type Outcome struct {
	Started     time.Time
	Records     *invocations.Records // in the plan's order, without those that were not reached; the caller closes them
	Partial     *invocations.Records // what is known of those that were interrupted between their launches; in no journal
	Executors   int                  // number of executors that were started to measure
	Complete    bool                 // every invocation has its record
	Environment map[string]string    // the plan's, with the counters of the executors that measured

	refused bool   // no executor started: the journal is unchanged
	journal string // path of the journal; empty if there is none
	removed bool   // the journal was removed during the run
	planned int    // number of invocations in the plan
	kept    int    // of them that have their result, be it readable or not
}

// measure measures the invocations of the plan that are not done. It returns the results so far even with an error. The
// error is the context's or one of the driver, for example if the journal cannot be written.
func (r *runner) measure(ctx context.Context, plan *plan.Plan) (Outcome, error) {
	out := Outcome{Environment: plan.Environment}
	still, stop := watchStandstill()
	defer stop()
	if r.Journal == nil {
		r.Journal = journal.Temporary()
	}
	run := &run{runner: r, plan: plan, records: r.Journal.Results(r.Done, plan.IDs()), still: still, finished: new(int), turn: &sync.Mutex{},
		artifacts: &filehash.Watch{}, loaded: map[[2]string][]string{},
		forecast: &forecast{begun: time.Now(), workers: max(1, len(r.Hosts))}, partial: new([]invocations.Record)}
	run.turn.Lock()
	defer run.turn.Unlock()
	run.supervise(r.Executor, r.Emulator)
	defer run.close()
	measure := run.all
	if len(r.Hosts) > 0 {
		measure = run.onHosts
	}
	err := measure(ctx)
	if recorded := run.concludeLast(); err == nil {
		err = recorded
	}
	out.Executors, out.Complete = run.starts(), err == nil
	out.refused = run.refused
	if counters := run.executor.Counters; counters != "" { // the sandbox may forbid some
		out.Environment = maps.Clone(out.Environment)
		out.Environment["counters"] = counters
	}
	out.Partial, out.Records = invocations.RecordsOf(*run.partial...), run.records.Records()
	out.kept = out.Records.Len()
	return out, err
}

// run is a run in progress.
type run struct {
	*runner
	plan      *plan.Plan
	executor  *executors.Supervisor
	beside    *executors.Supervisor // of the other side of a pair, if both are measured in turns
	exchange  *executors.Exchange   // lent to executors of both sides; nil: none
	emulator  *executors.Supervisor // of invocations that are emulated
	still     *standstill           // notices when this process does not run; nil: nobody looks
	records   *journal.Results      // by position in the plan; none: not finished
	finished  *int
	host      *Host                   // on which it measures; nil: this machine
	spreading *spreading              // what each host has measured; nil: one host measures each invocation
	number    int                     // of the host, in spreading
	turn      *sync.Mutex             // held by the one of several hosts' runs that does something else than wait for an executor
	current   int                     // position of the invocation that an executor has; negative: none
	refused   bool                    // nothing was begun
	pinned    bool                    // the executor's thread is on one CPU
	launched  *invocations.Invocation // the last one that was launched; nil: none
	looking   bool                    // a race takes a short look at its variants
	// unfinished is an invocation whose result is not recorded yet; nil: none.
	unfinished *launched
	loaded     map[[2]string][]string // files that executors load, by the paths of artifact and reference
	artifacts  *filehash.Watch        // of all that is measured
	forecast   *forecast
	partial    *[]invocations.Record   // of invocations that were interrupted between their launches
	unusable   map[referenceKey]string // functions that cannot be the reference of their group, and why
}

// supervise makes what keeps executors running.
func (r *run) supervise(executor, emulator executors.Starter) {
	r.executor = &executors.Supervisor{Starter: executor, Build: r.Build, Words: r.Words}
	r.beside = &executors.Supervisor{Starter: executor, Build: r.Build, Words: r.Words}
	r.emulator = &executors.Supervisor{Starter: emulator, Build: r.Build, Words: r.Words, Tools: true}
}

// close ends all executors.
func (r *run) close() {
	for _, s := range []*executors.Supervisor{r.executor, r.beside, r.emulator} {
		s.Close()
	}
	r.exchange.Close()
}

// starts returns how many executors were started.
func (r *run) starts() int { return r.executor.Starts + r.beside.Starts + r.emulator.Starts }

// wait lets the runs of other hosts have their turn while this one waits for an executor.
func (r *run) wait(f func()) {
	r.turn.Unlock()
	defer r.turn.Lock()
	f()
}

// all makes the whole run.
func (r *run) all(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		r.refused = true
		return err
	}
	if err := r.finishRefused(); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	if r.Pairs != nil {
		return r.pairs(ctx, rng)
	}
	var window []int
	blocks := 0
	for _, block := range r.plan.Blocks(r.Seed, r.isFinished) {
		if !r.launches(block[0]) {
			if err := r.block(ctx, block, rng); err != nil {
				return err
			}
			continue
		}
		others, err := r.races(ctx, block, rng)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			continue
		}
		window, blocks = append(window, others...), blocks+1
		if blocks%windowBlocks == 0 {
			if err := r.window(ctx, window, rng); err != nil {
				return err
			}
			window = nil
		}
	}
	return r.window(ctx, window, rng)
}

// finishRefused records the invocations that shall not run, counts those that are finished, and foresees the others.
func (r *run) finishRefused() error {
	times := 1
	if r.Spread {
		times = len(r.Hosts)
	}
	for i, p := range r.plan.All() {
		if r.isFinished(i) {
			*r.finished++
		} else if p.Verdict != "" {
			refused := invocations.Result{ID: p.Invocation.ID, Status: p.Verdict, Error: p.Reason,
				Mode: p.Invocation.Measure.Mode}
			if err := r.finish(i, refused); err != nil {
				return err
			}
		} else {
			r.forecast.add(&p.Invocation.Measure, times)
		}
	}
	return nil
}

// begin starts an executor if one is needed, makes the traced passes and begins the journal. If it fails, nothing is
// left behind.
func (r *run) begin(ctx context.Context) error {
	for _, p := range r.plan.All() {
		if p.Verdict != "" || r.Done.Has(p.Invocation.ID) {
			continue
		}
		if err := r.ready(ctx, p); err != nil {
			return err
		}
		break
	}
	return r.traceAndBegin(ctx)
}

// traceAndBegin makes the traced passes and begins the journal.
func (r *run) traceAndBegin(ctx context.Context) (err error) {
	if r.Trace != nil {
		if r.Profiles, err = r.Trace(ctx); err != nil {
			return err
		}
	}
	return r.Journal.Begin()
}

// ready starts the executor that an invocation needs, unless it runs.
func (r *run) ready(ctx context.Context, p *plan.Entry) (err error) {
	serving, allowed := r.serving(p), executors.AllowanceOf(&p.Invocation)
	allowed.Supervised = serving == r.executor && supervises(p.Invocation.Measure) // as the first calls are
	r.wait(func() { err = serving.Ready(ctx, allowed) })
	return err
}

// serving returns the supervisor of the executors that make the calls of an invocation.
func (r *run) serving(p *plan.Entry) *executors.Supervisor {
	if p.Emulated && r.Emulator != nil {
		return r.emulator
	}
	return r.executor
}

// launches reports whether an invocation is measured in launches. Those that are called only once are not.
func (r *run) launches(i int) bool { return !r.plan.At(i).Invocation.Measure.CheckOnly }

// block calls the invocations of a block once, in one executor, in a random order.
func (r *run) block(ctx context.Context, block []int, rng *rand.Rand) error {
	pin := r.plan.At(block[0]).Invocation.Measure.CPU >= 0
	if r.pinned && !pin {
		r.executor.Close() // a pinned executor cannot return to all CPUs
	}
	r.pinned = pin
	if err := r.concludeLast(); err != nil {
		return err
	}
	r.launched = nil // the next launch begins in a fresh executor
	r.executor.Supervised = true
	defer func() { r.executor.Supervised = false }()
	order := slices.Clone(block)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, i := range order {
		p, start := r.plan.At(i), time.Now()
		r.report(Progress{Name: p.Invocation.Name})
		r.watchArtifact(&p.Invocation)
		result, err := r.execute(ctx, i, &wire.Execute{Invocation: p.Invocation, Last: true})
		if err != nil {
			return fmt.Errorf("%s: %w", p.Invocation.Name, err)
		}
		r.still.note(&result, start)
		r.annotate(p, &result)
		result = r.keptArtifact(&p.Invocation, result)
		result.Merged, result.SpentNS = 1, int64(time.Since(start))
		if err := r.finish(i, result); err != nil {
			return err
		}
	}
	return nil
}

// finish records the result of an invocation.
func (r *run) finish(i int, result invocations.Result) error {
	if t, ok := r.Profiles[result.ID]; ok && result.Status == invocations.OK {
		addProfile(&result, &t)
	}
	if r.Machine != nil {
		r.Machine.Remember(result.ID, &result)
	}
	result.AuditTrace()
	if p := r.plan.At(i); p.Verdict == "" {
		r.forecast.finished(&p.Invocation.Measure, time.Duration(result.SpentNS))
	}
	if r.spreading != nil {
		return r.spreading.deliver(r, i, &result)
	}
	return r.keep(i, r.record(i, result))
}

// record returns the record of a result, which the host of the run has measured.
func (r *run) record(i int, result invocations.Result) *invocations.Record {
	record := invocations.NewRecord(r.plan.At(i).Invocation, result)
	if r.host != nil {
		record.Host, record.Machine = r.host.Name, machine.Fingerprint(r.host.Environment)
	}
	return &record
}

// keep puts the record of an invocation into its place and into the journal.
func (r *run) keep(i int, record *invocations.Record) error {
	place := r.plan.Place(i)
	record.Place, record.Replaces = &place, r.Done.ReplacedBy(record.ID)
	if err := r.records.Put(i, record); err != nil {
		return err
	}
	*r.finished++
	r.report(Progress{Name: record.Name, Record: record})
	return nil
}

// isFinished reports whether there is a result of the invocation at a position in the plan. In a run on a host that
// measures what the others measure, too, that is the host's own.
func (r *run) isFinished(i int) bool {
	return r.records.Has(i) || r.spreading != nil && r.spreading.has(i, r.number)
}

func (r *run) report(p Progress) {
	if r.Progress != nil {
		p.Finished, p.Total = *r.finished, r.plan.Len()
		p.Elapsed = time.Since(r.forecast.begun)
		p.Left, p.AtMost = r.forecast.left(p.least)
		r.Progress(p)
	}
}
