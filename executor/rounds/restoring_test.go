package rounds

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// keeper is a runtime of native code that copies a word into an array that it may read again.
type keeper struct {
	sealed bool              // nobody can restore its arguments
	settle func(word []byte) // is handed the word after each entry of a timer; may be nil
}

func (k keeper) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	usage := invocations.InputOutput
	if inv.Function == "pure" {
		usage = invocations.Output
	}
	one, err := invocations.ParseContents("1")
	if err != nil {
		return nil, err
	}
	read := arguments.Array{Element: invocations.Int64, Bytes: 8, Contents: one, Usage: invocations.Input}
	if inv.Function == "random" {
		read.Bytes, read.Contents = 800, invocations.Contents{}
	}
	sets, err := arguments.New(arguments.Description{Of: inv.Function, Align: 64, Arrays: []arguments.Array{
		read,
		{Element: invocations.Int64, Bytes: 8, Fixed: make([]byte, 8), Usage: usage},
	}}, arguments.Request{Least: setBytes})
	if err != nil {
		return nil, err
	}
	frame := func(address func(i int) uintptr) (f native.Frame, err error) {
		f.Int(uint64(address(0)))
		f.Int(uint64(address(1)))
		return f, nil
	}
	work := &executor.Native{Entry: native.CopyEntry(), Lines: sets.Lines()}
	if k.settle != nil {
		work.SettleOutputs = func() { k.settle(sets.Array(0, 0)) }
	}
	if !k.sealed {
		work.Changed = sets.Changed(frame)
	}
	work.Frames, err = sets.Frames(func(set int) (native.Frame, error) {
		return frame(func(i int) uintptr { return sets.Address(set, i) })
	})
	return &executor.Call{Work: work, SetBytes: sets.Bytes(), Close: sets.Free}, err
}

// TestRestoredLaunch measures launches that the user or the driver wants restored, or not.
func TestRestoredLaunch(t *testing.T) {
	if native.CopyEntry() == 0 {
		return // this system has no such function
	}
	const always, never, auto = invocations.WhenAlways, invocations.WhenNever, invocations.WhenAuto
	for i, c := range []struct {
		runtime, function string
		restore           invocations.When
		mode              invocations.Mode
		told              bool // by the driver
		later             bool // the launch is not the first one
		restored          bool
		note              string
		status            invocations.Status
	}{
		{"keeper", "f", always, invocations.Warm, false, false, true, "not timed", invocations.OK},
		{"keeper", "f", always, invocations.Warm, false, true, true, "", invocations.OK},
		{"keeper", "f", always, invocations.Flush, false, false, true, "not timed", invocations.OK},
		{"keeper", "f", always, invocations.Cold, false, false, true, "not timed", invocations.OK},
		{"keeper", "f", auto, invocations.Warm, true, true, true, "", invocations.OK},
		{"keeper", "f", auto, invocations.Warm, true, false, true, "not timed, since the other side", invocations.OK},
		{"keeper", "f", "", invocations.Serialized, true, true, true, "", invocations.OK},
		{"keeper", "f", never, invocations.Warm, true, true, false, "", invocations.OK},
		{"keeper", "pure", always, invocations.Warm, true, false, false, "", invocations.OK}, // there is nothing to restore
		{"sealed", "f", auto, invocations.Warm, true, true, false, "", invocations.OK},
		{"sealed", "f", always, invocations.Warm, false, false, false, "", invocations.Skipped},
	} {
		if c.mode == invocations.Flush && !native.CanFlush() {
			continue
		}
		m := invocations.Measure{Restore: c.restore, Mode: c.mode, MinTimeNS: 1e6, MaxTimeNS: 1e9, SetBytes: 1 << 14}
		e := &wire.Execute{Fresh: invocations.Fresh{Restored: c.told}, Trusted: c.later, Last: true, Invocation: invocations.Invocation{
			ID: fmt.Sprint(i), Runtime: c.runtime, Function: c.function, Measure: m,
		}}
		r, err := launch(e, keeper{sealed: c.runtime == "sealed"})
		if status(err) != c.status || r.Restored != c.restored || (len(r.SamplesNS) > 0) != (c.status == invocations.OK) {
			t.Errorf("%+v: %v, restored: %t, %d samples", c, err, r.Restored, len(r.SamplesNS))
		}
		at := slices.IndexFunc(r.Notes, func(n string) bool { return strings.Contains(n, "restored before each call") })
		if (at >= 0) != (c.note != "") || at >= 0 && !strings.Contains(r.Notes[at], c.note) {
			t.Errorf("%+v: %q", c, r.Notes)
		}
		if c.status == invocations.Skipped && !strings.Contains(err.Error(), `restore "always": the runtime sealed has no access`) {
			t.Errorf("%q", err)
		}
	}
}

// TestReorderedLaunch measures launches whose random contents the user or the driver wants in other orders, or not.
func TestReorderedLaunch(t *testing.T) {
	if native.CopyEntry() == 0 {
		return // this system has no such function
	}
	const always, never, auto = invocations.WhenAlways, invocations.WhenNever, invocations.WhenAuto
	both := invocations.Fresh{Restored: true, Reordered: true}
	for i, c := range []struct {
		function         string
		reorder, restore invocations.When
		told             bool // by the driver
		sealed           bool
		want             invocations.Fresh
		note             string
		status           invocations.Status
	}{
		{"random", always, auto, false, false, both, "before each call, which is not timed", invocations.OK},
		{"random", auto, auto, true, false, both, "not timed, since the other side", invocations.OK},
		{"random", "", auto, true, false, both, "not timed, since the other side", invocations.OK},
		{"random", never, auto, true, false, invocations.Fresh{}, "", invocations.OK},
		{"random", auto, never, true, false, invocations.Fresh{}, "", invocations.OK},
		{"f", always, auto, false, false, invocations.Fresh{}, "", invocations.OK}, // nothing is random
		{"random", always, auto, false, true, invocations.Fresh{}, "", invocations.Skipped},
	} {
		e := &wire.Execute{Fresh: invocations.Fresh{Reordered: c.told}, Last: true, Invocation: invocations.Invocation{
			ID: fmt.Sprint(i), Runtime: "keeper", Function: c.function, Measure: invocations.Measure{Reorder: c.reorder,
				Restore: c.restore, MinTimeNS: 1e6, MaxTimeNS: 1e9},
		}}
		r, err := launch(e, keeper{sealed: c.sealed})
		if status(err) != c.status || r.Fresh != c.want {
			t.Errorf("%+v: %v, %+v", c, err, r.Fresh)
		}
		at := slices.IndexFunc(r.Notes, func(n string) bool { return strings.Contains(n, "put into another order") })
		if (at >= 0) != (c.note != "") || at >= 0 && !strings.Contains(r.Notes[at], c.note) {
			t.Errorf("%+v: %q", c, r.Notes)
		}
		if c.status == invocations.Skipped && !strings.Contains(err.Error(), `reorder "always": the runtime keeper has no access`) {
			t.Errorf("%q", err)
		}
	}
}

// TestTooShortRestored says so if batches of restored calls are too short to be exact.
func TestTooShortRestored(t *testing.T) {
	for _, c := range []struct {
		ns, fixed int64
		want      bool
	}{{100, 0, true}, {100_000, 0, false}, {100, 3, false}} {
		ring, err := ringOf(t)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := scriptedSession(nil, invocations.Measure{CallsPerBatch: c.fixed})
		s.call.Work, s.calls = &executor.Native{Ring: ring}, 3
		r := invocations.Result{Batches: invocations.Batches{SamplesNS: []float64{1}}}
		r.Summary.MedianNS = float64(c.ns)
		s.noteFresh(&wire.Execute{}, &r)
		noted := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "take only 300.0 ns") })
		if noted != c.want || !r.Restored {
			t.Errorf("%+v: restored %t, %q", c, r.Restored, r.Notes)
		}
	}
}

// ringOf returns a ring that the test frees.
func ringOf(t *testing.T) (*arguments.Ring, error) {
	call, err := keeper{}.Prepare(&invocations.Invocation{Function: "f"}, 0)
	if err != nil {
		return nil, err
	}
	t.Cleanup(call.Close)
	ring, err := call.Work.(*executor.Native).Changed.Copies(4)
	if err == nil {
		t.Cleanup(ring.Free)
	}
	return ring, err
}

// TestRestoredCPU tells the CPU time of a batch from that of restoring, and notices that the thread was taken off its
// CPU.
func TestRestoredCPU(t *testing.T) {
	around := &script{}
	u := &threadUse{thread: &executor.OnThread{}, around: around, readNS: 10}
	e := &entry{calls: 1, batches: 1, restored: true}
	for _, c := range []struct{ copying, batch, off, want float64 }{
		{5000, 1000, 0, 1000}, {5000, 1000, 0, 1000}, {50, 10_000, 6000, 4000}, {5000, 1000, 4000, 0},
		{5000, 20, 0, 20}, {5000, 20, 500, 20}, // which reading the clocks may take longer
	} {
		if err := u.begin(e); err != nil {
			t.Fatal(err)
		}
		around.pass(c.copying + c.batch)
		around.own -= c.off
		e.ns = []float64{c.batch}
		u.end(e)
		if got := e.seen.cpuNS; got < c.want-1 || got > c.want+1 {
			t.Errorf("%+v: %g ns of CPU time", c, got)
		}
	}
}

// TestSystemOfShortBatches: what we look at around a short batch of restored calls takes time of the system. It made
// functions sandboxed that never call the system.
func TestSystemOfShortBatches(t *testing.T) {
	for _, c := range []struct {
		name          string
		batch, system float64 // ns
		want          bool
	}{
		{"a short batch beside our own looks", 4500, 1000, false},
		{"a batch that calls the system", 100_000, 50_000, true},
		{"a short one that does", 6000, 6000, true},
	} {
		around := &script{}
		u := &threadUse{thread: &executor.OnThread{}, around: around}
		e := &entry{calls: 7, batches: 1, restored: true}
		kept := make([]*batch, 20_000)
		for i := range kept {
			if err := u.begin(e); err != nil {
				t.Fatal(err)
			}
			around.pass(c.batch)
			around.system += c.system
			e.ns = []float64{c.batch}
			u.end(e)
			one := e.seen
			kept[i] = &one
		}
		if got := sandboxCount(kept, e.calls, 0.5); (got != nil) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// status returns that of a round that ended with an error, or without one.
func status(err error) invocations.Status {
	var unsupported *executor.UnsupportedError
	switch {
	case err == nil:
		return invocations.OK
	case errors.As(err, &unsupported):
		return invocations.Skipped
	}
	return invocations.Failed
}

// launch makes the only round of a session of its own.
func launch(m *wire.Execute, program keeper) (r invocations.Result, err error) {
	bytes := int64(0)
	if m.Measure.Mode == invocations.Cold {
		bytes = m.Measure.SetBytes
	}
	call, err := program.Prepare(&m.Invocation, bytes)
	if err != nil {
		return r, err
	}
	s, err := New(m, call, instrumentsOf(native.CalibrateClock(calibration)), nil)
	if err != nil {
		return r, err
	}
	defer s.Close()
	if err := s.Begin(m, nil); err != nil {
		return r, err
	}
	if _, err := s.FirstCalls(func() {}); err != nil {
		return r, err
	}
	if r, err = s.Measure(m, math.MaxInt64); err != nil {
		return r, err
	}
	_, err = s.Finish(&r, func(string) {})
	return r, err
}
