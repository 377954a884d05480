// Package tally adds up where the time of calls went, by the records of IREE's profilers.
package tally

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"zonemark/executor/iree/halprofile"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Run is one dispatch of one call.
type Run struct {
	function       halprofile.FunctionKey
	workgroups     [3]uint32
	submission     uint64
	command        uint32
	StartNS, endNS int64
	tileNS         int64
	onDevice       bool // timed by a device
	failed         bool
}

// sameWork reports whether two runs are of the same dispatch of a program, in different calls.
func (r *Run) sameWork(o *Run) bool {
	return r.function == o.function && r.workgroups == o.workgroups
}

// Runs returns the dispatches among events, in the order in which they were issued. A device with several
// threads may report a dispatch in parts; they become one run.
func Runs(events []halprofile.Event) []Run {
	var runs []Run
	for _, e := range events {
		if e.Kind == halprofile.Dispatch {
			runs = append(runs, Run{
				function: e.Function, workgroups: e.Workgroups, submission: e.Submission, command: e.Command,
				StartNS: e.StartNS, endNS: e.EndNS, tileNS: e.TileNS, onDevice: e.OnDevice, failed: e.Status != 0,
			})
		}
	}
	// Submissions and commands are numbered in the order of issue. Work without a recorded command buffer runs at once,
	// in order.
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(
			cmp.Compare(a.submission, b.submission),
			cmp.Compare(a.command, b.command),
			cmp.Compare(a.StartNS, b.StartNS),
		)
	})
	whole := runs[:0]
	for _, r := range runs {
		if n := len(whole); n > 0 && r.command != halprofile.NoCommand {
			if last := &whole[n-1]; last.submission == r.submission && last.command == r.command && last.sameWork(&r) {
				last.StartNS, last.endNS = min(last.StartNS, r.StartNS), max(last.endNS, r.endNS)
				last.tileNS += r.tileNS
				last.failed = last.failed || r.failed
				continue
			}
		}
		whole = append(whole, r)
	}
	return whole
}

// spanNS returns the time from the start of the first dispatch to the end of the last one, and for how much of it some
// dispatch ran.
func spanNS(runs []Run) (span, busy int64) {
	if len(runs) == 0 {
		return 0, 0
	}
	byStart := slices.SortedFunc(slices.Values(runs), func(a, b Run) int {
		return cmp.Compare(a.StartNS, b.StartNS)
	})
	end := byStart[0].StartNS
	for _, r := range byStart {
		busy += max(0, r.endNS-max(r.StartNS, end))
		end = max(end, r.endNS)
	}
	return end - byStart[0].StartNS, busy
}

// sequence collects the calls that issue the same dispatches.
type sequence struct {
	dispatches []Run       // those of the first call
	durations  [][]float64 // by dispatch, ns, one for each call
	threads    [][]float64 // by dispatch, how many tiles ran at the same time
	callNS     []float64
	gapNS      []float64
	hostNS     []float64
	unlistedNS []float64 // of calls of which the profile lists nothing
	busyNS     []float64
	deviceNS   []float64 // from the start of the first dispatch on a device to the end of the last
	overlapped bool
}

func (s *sequence) fits(runs []Run) bool {
	return slices.EqualFunc(s.dispatches, runs, func(a, b Run) bool { return a.sameWork(&b) })
}

func (s *sequence) add(callNS float64, runs []Run) {
	span, busy := spanNS(runs)
	total := int64(0)
	for i, r := range runs {
		ns := r.endNS - r.StartNS
		total += ns
		s.durations[i] = append(s.durations[i], float64(ns))
		if r.tileNS > 0 && ns > 0 {
			s.threads[i] = append(s.threads[i], float64(r.tileNS)/float64(ns))
		}
	}
	s.overlapped = s.overlapped || total > busy
	s.callNS = append(s.callNS, callNS)
	s.gapNS = append(s.gapNS, float64(span-busy))
	s.busyNS = append(s.busyNS, float64(busy))
	if len(runs) == 0 { // dispatches that are not listed, or the host: nobody saw
		s.unlistedNS = append(s.unlistedNS, callNS)
		return
	}
	s.hostNS = append(s.hostNS, max(0, callNS-float64(span)))
	if runs[0].onDevice {
		s.deviceNS = append(s.deviceNS, float64(span))
	}
}

// maxSequences limits how many different sequences of dispatches are told apart. Calls beyond them are only counted.
const maxSequences = 64

// Tally adds up where the time of calls went.
type Tally struct {
	sequences []*sequence
	last      *sequence
	calls     int64
	failed    int64 // dispatches that did not succeed
}

// Add counts a call that took callNS and issued the dispatches of runs.
func (t *Tally) Add(callNS float64, runs []Run) {
	t.calls++
	for _, r := range runs {
		if r.failed {
			t.failed++
		}
	}
	if t.last == nil || !t.last.fits(runs) {
		i := slices.IndexFunc(t.sequences, func(s *sequence) bool { return s.fits(runs) })
		switch {
		case i >= 0:
			t.last = t.sequences[i]
		case len(t.sequences) == maxSequences:
			return
		default:
			t.last = &sequence{
				dispatches: runs,
				durations:  make([][]float64, len(runs)),
				threads:    make([][]float64, len(runs)),
			}
			t.sequences = append(t.sequences, t.last)
		}
	}
	t.last.add(callNS, runs)
}

// unaccountedPercent is how far the sum of the parts may be from the call's time before a note reports it.
const unaccountedPercent = 5

// unlisted is the note on calls of which the profile lists nothing.
const unlisted = "IREE's profiler lists no dispatch of its calls, so nothing says what their time is; a capture by " +
	"Tracy may show it"

// Profile returns where the time went in the calls that issued the most frequent sequence of dispatches. In each call,
// dispatches, gaps and host time sum to the call; their medians do so as far as the calls are alike. None of the three
// is computed as the rest, so the sum is a check. The time of calls without a listed dispatch is unexplained.
func (t *Tally) Profile(names func(halprofile.FunctionKey) string, dropped uint64) invocations.Profile {
	var p invocations.Profile
	if len(t.sequences) == 0 {
		return p
	}
	s := slices.MaxFunc(t.sequences, func(a, b *sequence) int { return cmp.Compare(len(a.callNS), len(b.callNS)) })
	sum := 0.0
	for i := range s.dispatches {
		d := s.dispatch(i, names)
		sum += d.MedianNS
		p.Dispatches = append(p.Dispatches, d)
	}
	p.CallNS, p.GapNS, p.HostNS = median(s.callNS), median(s.gapNS), median(s.hostNS)
	p.DeviceNS, p.UnexplainedNS = median(s.deviceNS), median(s.unlistedNS)
	if p.UnexplainedNS > 0 {
		p.Notes = append(p.Notes, unlisted)
	}
	if s.overlapped {
		sum = median(s.busyNS)
		p.Notes = append(p.Notes,
			fmt.Sprintf("dispatches ran at the same time: together they take %.0f ns of a call", sum))
	}
	if parts := sum + p.GapNS + p.HostNS + p.UnexplainedNS; p.CallNS > 0 && math.Abs(parts-p.CallNS) > p.CallNS*unaccountedPercent/100 {
		p.Notes = append(p.Notes, fmt.Sprintf("the calls were not alike: the medians of dispatches, gaps and host "+
			"time sum to %.0f %% of the median call", 100*parts/p.CallNS))
	}
	if others := t.calls - int64(len(s.callNS)); others > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d of %d calls issued other dispatches and are left out",
			others, t.calls))
	}
	if t.failed > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d dispatches did not succeed", t.failed))
	}
	if dropped > 0 {
		p.Partial = true
		p.Notes = append(p.Notes, fmt.Sprintf("IREE's profiler lost %d records", dropped))
	}
	if missing := t.missing(s); missing > 0 && dropped == 0 {
		p.Partial = true
		p.Notes = append(p.Notes, fmt.Sprintf("%d of %d calls have no records", missing, t.calls))
	}
	return p
}

// missing returns the number of calls without any dispatch if most calls have some.
func (t *Tally) missing(usual *sequence) int {
	if len(usual.dispatches) == 0 {
		return 0
	}
	for _, s := range t.sequences {
		if len(s.dispatches) == 0 {
			return len(s.callNS)
		}
	}
	return 0
}

func (s *sequence) dispatch(i int, names func(halprofile.FunctionKey) string) invocations.Dispatch {
	r := &s.dispatches[i]
	d := invocations.Dispatch{
		Name: names(r.function), Ordinal: i, Workgroups: workgroups(r.workgroups),
	}
	d.Time(s.durations[i])
	if len(s.threads[i]) > 0 {
		// The profile does not report workers, but at least this many must have run. Starting and ending a worker takes
		// time, for which a tenth is subtracted.
		d.Threads = max(1, int(math.Ceil(median(s.threads[i])-0.1)))
	}
	return d
}

// workgroups returns the number of workgroups of a dispatch with these counts along x, y, z, limited to what an int32
// holds.
func workgroups(counts [3]uint32) int {
	n := uint64(1)
	for _, c := range counts {
		n = min(n*uint64(c), math.MaxInt32) // at most 2^31 × 2^32: no overflow
	}
	return int(n)
}

// median returns the median of values in any order. It does not change them.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// Read reads the .ireeprof file at path. The file does not say where calls begin and how long they took. So the
// dispatches are those of the shortest sequence that the file repeats, and CallNS and HostNS stay 0.
func Read(path string) (invocations.Profile, error) {
	records, err := halprofile.ReadFile(path)
	if err != nil {
		return invocations.Profile{}, err
	}
	runs := Runs(records.Events)
	if len(runs) == 0 {
		return invocations.Profile{}, fmt.Errorf("IREE profile %s: it holds no dispatches: record it with "+
			"--device_profiling_mode=host-execution,executable-metadata or, on a device that is not the CPU, "+
			"dispatch-events", path)
	}
	var t Tally
	n := period(runs)
	for i := 0; i+n <= len(runs); i += n {
		t.Add(0, runs[i:i+n])
	}
	return t.Profile(records.Name, records.Dropped), nil
}

// period returns the length of the shortest sequence that the runs repeat, or their number if they repeat nothing. It
// is the length less that of the longest proper prefix that is also a suffix (failure function of Knuth, Morris and
// Pratt).
func period(runs []Run) int {
	border := make([]int, len(runs))
	for i := 1; i < len(runs); i++ {
		k := border[i-1]
		for k > 0 && !runs[i].sameWork(&runs[k]) {
			k = border[k-1]
		}
		if runs[i].sameWork(&runs[k]) {
			k++
		}
		border[i] = k
	}
	n := len(runs) - border[len(runs)-1]
	if len(runs)%n != 0 {
		return len(runs)
	}
	return n
}

// Calls adds up the profiler's records of so many calls in a row.
func Calls(records *halprofile.Records, calls int64) (invocations.Profile, error) {
	runs := Runs(records.Events)
	if len(runs) == 0 {
		if records.Dropped > 0 {
			return invocations.Profile{}, fmt.Errorf("IREE's profiler lost all of its %d records", records.Dropped)
		}
		return invocations.Profile{}, errors.New("the profile holds no dispatches")
	}
	var t Tally
	n := int64(len(runs)) / calls
	if n*calls != int64(len(runs)) {
		if records.Dropped > 0 {
			return invocations.Profile{}, fmt.Errorf("IREE's profiler lost %d records, so that nothing says which of "+
				"the %d dispatches is of which call", records.Dropped, len(runs))
		}
		return invocations.Profile{}, remedy.With(
			fmt.Errorf("%d dispatches in %d calls: calls that differ cannot be told apart in this profile", len(runs), calls),
			remedy.Remedy{Kind: remedy.Install, Name: "iree-capi"},
			remedy.Remedy{Kind: remedy.Choose, Name: "dispatches", Value: "tracy"})
	}
	for i := int64(0); i+1 < calls; i++ {
		call := runs[i*n : (i+1)*n]
		t.Add(float64(runs[(i+1)*n].StartNS-call[0].StartNS), call)
	}
	return t.Profile(records.Name, records.Dropped), nil
}
