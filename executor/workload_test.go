package executor

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// TestObservedBy says for each kind of workload and each observer whether it applies.
func TestObservedBy(t *testing.T) {
	names := []string{"canary", "core speed", "thread use", "reported use", "thread counts", "all counts", "thread watch"}
	const yes, no = true, false
	for _, c := range []struct {
		kind Workload
		want []bool
	}{
		//            canary speed thread reported counts all  watch
		{&Native{}, []bool{yes, yes, yes, no, yes, yes, yes}},
		{&Function{}, []bool{yes, yes, yes, no, yes, yes, yes}},
		{&Batches{}, []bool{no, yes, no, yes, no, no, no}},
		{&Process{}, []bool{no, yes, no, yes, no, yes, no}},
	} {
		if len(c.want) != len(names) || len(names) != int(byThreadWatch)+1 {
			t.Fatalf("%d of %d observers", len(c.want), int(byThreadWatch)+1)
		}
		for o, want := range c.want {
			if got := c.kind.observedBy(observation(o)); got != want {
				t.Errorf("%T is observed by %s: %t, want %t", c.kind, names[o], got, want)
			}
		}
	}
}

// TestNewObservers checks that a session has those observers that apply to its workload, and no others.
func TestNewObservers(t *testing.T) {
	with := instrumentsOf(native.CalibrateClock(calibration))
	with.counters = &madeUpCounters{names: []string{"loads"}}
	for _, kind := range []Workload{&Native{}, &Function{}, &Batches{}, &Process{}} {
		o := newObservers(kind, with)
		_, thread := o.use.(*threadUse)
		_, reported := o.use.(*reportedUse)
		exists := []bool{
			byCanary:       o.canary != nil,
			byCoreSpeed:    o.speed != nil,
			byThreadUse:    thread,
			byReportedUse:  reported,
			byThreadCounts: o.counts != nil && !o.counts.all,
			byAllCounts:    o.counts != nil && o.counts.all,
			byThreadWatch:  o.threads != nil,
		}
		for which, is := range exists {
			want := kind.observedBy(observation(which))
			switch observation(which) {
			case byCanary:
				want = want && with.newCanary() != nil
			case byAllCounts: // of the thread's own calls only once the watch has found threads
				want = want && !kind.observedBy(byThreadCounts)
			}
			if is != want {
				t.Errorf("%T: observer %d exists: %t, want %t", kind, which, is, want)
			}
		}
		if (o.why == "") != (o.canary != nil) {
			t.Errorf("%T: canary %t, because %q", kind, o.canary != nil, o.why)
		}
	}
}

// Others that do part of the work take the canary away, and have the counters count them, too.
func TestObserversOfOthersWork(t *testing.T) {
	with := instrumentsOf(native.CalibrateClock(calibration))
	with.counters = &madeUpCounters{names: []string{"loads"}}
	o := newObservers(&Native{}, with)
	o.othersWork(threadsWork)
	if o.canary != nil || o.why != threadsWork || !o.counts.all || !o.threads.others || len(o.all()) != 3 {
		t.Errorf("%+v", o)
	}
}

// What follows are made-up runtimes, one of each kind of workload.

// onlyProgram has the methods of a runtime and a program that made-up ones have in common.
type onlyProgram struct{}

func (onlyProgram) Close() error { return nil }

func (onlyProgram) Describe(path string, _ DescribeOptions) ([]invocations.Description, error) {
	return []invocations.Description{{Artifact: invocations.Artifact{Path: path}}}, nil
}

// copier is a runtime of native code that copies a word.
type copier struct{ onlyProgram }

func (copier) Name() string { return "copier" }

func (r copier) Load(invocations.Artifact) (Program, error) { return r, nil }

func (copier) Prepare(*invocations.Invocation, int64) (*Call, error) {
	words := &[2]uint64{7}
	var f native.Frame
	f.Int(uint64(uintptr(unsafe.Pointer(&words[0]))))
	f.Int(uint64(uintptr(unsafe.Pointer(&words[1]))))
	check := func(func(string)) (string, error) { runtime.KeepAlive(words); return "", nil }
	return &Call{Work: &Native{Entry: native.CopyEntry(), Frames: []native.Frame{f}}, Verify: check}, nil
}

// sum is a runtime of functions of Go.
type sum struct{ onlyProgram }

func (sum) Name() string { return "sum" }

func (r sum) Load(invocations.Artifact) (Program, error) { return r, nil }

func (sum) Prepare(*invocations.Invocation, int64) (*Call, error) {
	total := 0
	return &Call{Work: &Function{Invoke: func() error {
		for i := range 1000 {
			total += i
		}
		return nil
	}}}, nil
}

// elsewhere is a runtime whose process makes batches.
type elsewhere struct{ onlyProgram }

func (elsewhere) Name() string { return "elsewhere" }

func (r elsewhere) Load(invocations.Artifact) (Program, error) { return r, nil }

func (elsewhere) Prepare(*invocations.Invocation, int64) (*Call, error) {
	return &Call{Work: &Batches{Batch: func(calls int64) (Used, error) {
		return Used{WallNS: 1e4 * float64(calls), UserNS: 1e4 * float64(calls)}, nil
	}}}, nil
}

// started is a runtime whose calls are processes.
type started struct{ onlyProgram }

func (started) Name() string { return "started" }

func (r started) Load(invocations.Artifact) (Program, error) { return r, nil }

func (started) Prepare(*invocations.Invocation, int64) (*Call, error) {
	return &Call{Work: &Process{Run: func() (Used, error) { return Used{WallNS: 2e6, UserNS: 1e6, PeakBytes: 1 << 20}, nil }}}, nil
}

// TestMadeUpRuntimes measures a made-up runtime of each kind.
func TestMadeUpRuntimes(t *testing.T) {
	p := serveBy(t, &Server{Runtimes: []Runtime{copier{}, sum{}, elsewhere{}, started{}}})
	for _, c := range []struct {
		runtime  string
		overhead bool // is measured
		why      string
		calls    func(perBatch int64) bool
		cpu      bool
		keys     string // of properties
	}{
		{"copier", true, "", func(n int64) bool { return n > 1000 }, true, "map[]"},
		{"sum", false, "", func(n int64) bool { return n > 1 }, true, "map[]"},
		{"elsewhere", false, processWork, func(n int64) bool { return n == 10 || n == 8 }, true, "map[]"},
		{"started", false, processWork, func(n int64) bool { return n == 1 }, true,
			"map[peak_rss_bytes:1048576 system_ns:0 user_ns:1000000]"},
	} {
		if c.runtime == "copier" && native.CopyEntry() == 0 {
			continue // this system has no such function
		}
		e := execute("f", invocations.Measure{MinTimeNS: 2e6, MaxTimeNS: 1e9}, true)
		e.Invocation.Runtime = c.runtime
		r := p.ask(e).(*wire.Result)
		if r.Status != invocations.OK || len(r.SamplesNS) == 0 || (r.OverheadNS > 0) != c.overhead ||
			!c.calls(r.CallsPerBatch) || (len(r.CPUSamplesNS) == len(r.SamplesNS)) != c.cpu ||
			c.why != "" && r.Canary.Why != c.why || fmt.Sprint(r.Properties) != c.keys {
			t.Errorf("%s: %s %s, %d samples, overhead %g ns, %d calls a batch, %d CPU times, %q, %v", c.runtime, r.Status,
				r.Error, len(r.SamplesNS), r.OverheadNS, r.CallsPerBatch, len(r.CPUSamplesNS), r.Canary.Why, r.Properties)
		}
	}
}
