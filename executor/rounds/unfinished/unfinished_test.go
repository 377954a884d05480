package unfinished

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"zonemark/executor/platform"
)

// process is a process in which only calls and sleeping let time pass. A thread works off what calls leave.
type process struct {
	ns, used float64 // time, and CPU time of the thread
	queue    float64 // work that is left to it
	spins    float64 // time for which it looks for work when it has none
	since    float64 // when it has had none
	calls    int64

	call, leaves float64         // time of a call, and work that it leaves
	share        float64         // of a CPU that the thread has; 0: a whole one
	bound        float64         // of the queue, at which calls wait; 0: there is none
	slow         func() bool     // something slows the calls down
	beside       float64         // CPUs of two that other processes use
	fails        map[int64]error // by calls made
}

// pass lets time pass.
func (p *process) pass(ns float64) {
	share := cmp.Or(p.share, 1)
	work := min(ns*share, p.queue)
	if p.queue -= work; work > 0 {
		p.since = p.ns + work/share
	}
	idle := max(0, min(p.ns+ns, p.since+p.spins)-max(p.ns, p.since))
	p.ns, p.used = p.ns+ns, p.used+work+idle
}

func (p *process) run(calls int64) error {
	for range calls {
		took := p.call
		if p.slow != nil && p.slow() {
			took *= 3
		}
		p.pass(took)
		p.queue, p.since = p.queue+p.leaves, p.ns
		if over := p.queue - p.bound; p.bound > 0 && over > 0 {
			p.pass(over)
		}
		p.calls++
	}
	return p.fails[p.calls]
}

func (p *process) contention() platform.Contention {
	return platform.Contention{Busy: 1 + int64(p.ns*p.beside), Idle: int64(p.ns * (2 - p.beside))}
}

func (p *process) look() *Look {
	return &Look{
		Run:        p.run,
		Others:     func() int64 { return int64(p.used) },
		Ready:      func() bool { return p.queue > 0 },
		Now:        func() time.Time { return time.Unix(0, int64(p.ns)) },
		Sleep:      func(d time.Duration) { p.pass(float64(d)) },
		Contention: p.contention,
	}
}

func TestUnfinished(t *testing.T) {
	for _, c := range []struct {
		name string
		of   process
		each time.Duration // that is left by a call
		row  bool          // calls in a row are slower than in batches
		most float64       // seconds that finding out takes
	}{
		{name: "leaves nothing", of: process{call: 10e3}, most: 0.5},
		{name: "leaves nothing, 50 ns", of: process{call: 50}, most: 0.6},
		{name: "leaves nothing, a second", of: process{call: 1e9}, most: 1.1},
		{name: "a queue without end", of: process{call: 200, leaves: 20e3}, each: 20 * time.Microsecond, most: 1},
		{name: "it grows slowly", of: process{call: 20e3, leaves: 30e3}, each: 10 * time.Microsecond, most: 1.5},
		{name: "long calls that leave more", of: process{call: 100e6, leaves: 150e6}, each: 50 * time.Millisecond, most: 2},
		{name: "other processes have the CPUs", of: process{call: 200, leaves: 20e3, share: 0.05}, each: 20 * time.Microsecond,
			most: 3},
		{name: "a thread that keeps pace", of: process{call: 20e3, leaves: 15e3}, most: 0.5},
		{name: "threads wait for work for 200 ms, as those of OpenMP", of: process{call: 50e3, spins: 200e6}, most: 2},
		{name: "threads that never rest", of: process{call: 50e3, spins: 1e18}, most: 0.6},
		{name: "a short queue", of: process{call: 200, leaves: 20e3, bound: 1e6}, row: true, most: 1},
		{name: "a short queue beside a process", of: process{call: 200, leaves: 20e3, bound: 1e6, beside: 1}, row: true, most: 1},
		{name: "the same beside other processes", of: process{call: 200, leaves: 20e3, bound: 1e6, beside: 2}, most: 1},
	} {
		p := c.of
		found, err := p.look().Find()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if off := found.PerCall - c.each; off > c.each/50 || off < -c.each/50 || (found.Note() != "") != (c.each > 0) {
			t.Errorf("%s: %v of a call are left, want %v: %q", c.name, found.PerCall, c.each, found.Note())
		}
		if p.ns > c.most*1e9 {
			t.Errorf("%s: finding out takes %.2f s", c.name, p.ns/1e9)
		}
		if c.each > 0 {
			continue
		}
		if row, err := p.look().InARow(found, c.of.call); err != nil || (row > 0) != c.row {
			t.Errorf("%s: %.0f ns in a row, %v", c.name, row, err)
		}
	}
}

// A thread that calls have woken waits for a CPU, looks for work, lets others have the CPU, and looks again, for a while:
// the calls have done all. Such threads are those of Halide on a busy machine.
func TestWokenInVain(t *testing.T) {
	p := process{call: 300}
	look := p.look()
	run, until := look.Run, 0.0
	look.Run = func(calls int64) error {
		if calls > 1 {
			until = p.ns + 100e6
		}
		return run(calls)
	}
	look.Sleep = func(d time.Duration) {
		if p.ns < until {
			p.used += 50e3
		}
		p.pass(float64(d))
	}
	look.Ready = func() bool { return p.ns < until }
	if found, err := look.Find(); err != nil || found.Note() != "" {
		t.Errorf("%q, %v", found.Note(), err)
	}
}

// Other processes may have the CPUs while the single call is made, which then seems long.
func TestSlowSingleCall(t *testing.T) {
	p := process{call: 200, leaves: 20e3}
	look := p.look()
	run, first := look.Run, true
	look.Run = func(calls int64) error {
		if first {
			p.ns += 50e6
		}
		first = false
		return run(calls)
	}
	if found, err := look.Find(); err != nil || found.Note() == "" {
		t.Errorf("%+v, %v", found, err)
	}
}

// A thread may be at something else while a single call is made once more: then more calls tell.
func TestBusySingleCall(t *testing.T) {
	p := process{call: 200, leaves: 20e3}
	look := p.look()
	run, singles := look.Run, 0
	look.Run = func(calls int64) error {
		if calls == 1 {
			if singles++; singles == 2 {
				p.queue += 200e6
			}
		}
		return run(calls)
	}
	if found, err := look.Find(); err != nil || found.Note() == "" || singles < 3 {
		t.Errorf("%+v, %v, after %d single calls", found, err, singles)
	}
}

// What slows calls down once does not make them look unfinished.
func TestDisturbedRow(t *testing.T) {
	p := process{call: 20e3}
	p.slow = func() bool { return p.ns < 300e6 }
	found, err := p.look().Find()
	if err != nil || !(found.most.each > slower*20e3) {
		t.Fatalf("%+v, %v: calls were not slow in a row", found, err)
	}
	p.ns = 400e6
	if row, err := p.look().InARow(found, 20e3); err != nil || row != 0 {
		t.Errorf("%.0f ns in a row, %v", row, err)
	}
	if row, err := p.look().InARow(Found{}, -1); err != nil || row != 0 {
		t.Errorf("nothing was found, and calls take %.0f ns in a row, %v", row, err)
	}
	if note := RowNote(1234567); !strings.Contains(note, "1.235 ms") {
		t.Error(note)
	}
}

// Calls in a row give way to another process, and a few after a pause do not: nothing is left to threads.
func TestGivesWay(t *testing.T) {
	for _, beside := range []float64{0, 1} {
		p := process{call: 20e3, beside: beside}
		look := p.look()
		look.Run = func(calls int64) error {
			p.ns += float64(calls) * p.call
			if calls > 100 {
				p.ns += float64(calls) * p.call
			}
			return nil
		}
		found, err := look.Find()
		if err != nil {
			t.Fatal(err)
		}
		if row, err := look.InARow(found, 20e3); err != nil || (row > 0) != (beside == 0) {
			t.Errorf("beside %v others: %.0f ns in a row, %v", beside, row, err)
		}
	}
}

// What slows some of many calls down a lot, or all calls from some time on, does not make them look unfinished.
func TestSlowCallsInARow(t *testing.T) {
	for name, slow := range map[string]func(p *process) bool{
		"now and then": func(p *process) bool { return p.calls%2000 < 600 },
		"from now on":  func(p *process) bool { return p.ns > 50e6 },
	} {
		p := process{call: 20e3}
		p.slow = func() bool { return slow(&p) }
		found, err := p.look().Find()
		if err != nil {
			t.Fatal(err)
		}
		if row, err := p.look().InARow(found, 20e3); err != nil || row != 0 {
			t.Errorf("%s: %.0f ns in a row, %v", name, row, err)
		}
	}
}

// A call that fails ends the look, whenever it does.
func TestFails(t *testing.T) {
	wrong := errors.New("wrong")
	for _, calls := range []int64{1, 9, 73, 74, 138} {
		p := process{call: 200e3, leaves: 2e6, fails: map[int64]error{calls: wrong}}
		if _, err := p.look().Find(); !errors.Is(err, wrong) {
			t.Errorf("after %d calls: %v; %d were made", calls, err, p.calls)
		}
	}
}
