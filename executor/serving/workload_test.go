package serving

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// What follows are made-up runtimes, one of each kind of workload.

// onlyProgram has the methods of a runtime and a program that made-up ones have in common.
type onlyProgram struct{}

func (onlyProgram) Close() error { return nil }

func (onlyProgram) Describe(path string, _ executor.DescribeOptions) ([]invocations.Description, error) {
	return []invocations.Description{{Artifact: invocations.Artifact{Path: path}}}, nil
}

// copier is a runtime of native code that copies a word.
type copier struct{ onlyProgram }

func (copier) Name() string { return "copier" }

func (r copier) Load(invocations.Artifact) (executor.Program, error) { return r, nil }

func (copier) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	words := &[2]uint64{7}
	var f native.Frame
	f.Int(uint64(uintptr(unsafe.Pointer(&words[0]))))
	f.Int(uint64(uintptr(unsafe.Pointer(&words[1]))))
	check := func(func(string)) (string, error) { runtime.KeepAlive(words); return "", nil }
	return &executor.Call{Work: &executor.Native{Entry: native.CopyEntry(), Frames: []native.Frame{f}}, Verify: check}, nil
}

// sum is a runtime of functions of Go.
type sum struct{ onlyProgram }

func (sum) Name() string { return "sum" }

func (r sum) Load(invocations.Artifact) (executor.Program, error) { return r, nil }

func (sum) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	total := 0
	return &executor.Call{Work: &executor.Function{Invoke: func() error {
		for i := range 1000 {
			total += i
		}
		return nil
	}}}, nil
}

// elsewhere is a runtime whose process makes batches.
type elsewhere struct{ onlyProgram }

func (elsewhere) Name() string { return "elsewhere" }

func (r elsewhere) Load(invocations.Artifact) (executor.Program, error) { return r, nil }

func (elsewhere) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	return &executor.Call{Work: &executor.Batches{Batch: func(calls int64) (executor.Used, error) {
		return executor.Used{WallNS: 1e4 * float64(calls), UserNS: 1e4 * float64(calls)}, nil
	}}}, nil
}

// started is a runtime whose calls are processes.
type started struct{ onlyProgram }

func (started) Name() string { return "started" }

func (r started) Load(invocations.Artifact) (executor.Program, error) { return r, nil }

func (started) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	return &executor.Call{Work: &executor.Process{Run: func() (executor.Used, error) { return executor.Used{WallNS: 2e6, UserNS: 1e6, PeakBytes: 1 << 20}, nil }}}, nil
}

// TestMadeUpRuntimes measures a made-up runtime of each kind.
func TestMadeUpRuntimes(t *testing.T) {
	p := serveBy(t, &Server{Runtimes: []executor.Runtime{copier{}, sum{}, elsewhere{}, started{}}})
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
		{"elsewhere", false, "processes of its own do the work", func(n int64) bool { return n == 10 || n == 8 }, true, "map[]"},
		{"started", false, "processes of its own do the work", func(n int64) bool { return n == 1 }, true,
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
