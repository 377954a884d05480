package executors

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// mortal starts executors that die of some invocations: of "deadly" always, and of "victim" if another one has been
// executed before. "hungry" then has no memory.
type mortal struct{ started int }

func (f *mortal) Start(Allowance) (*Process, error) {
	f.started++
	p, err := played(func(conn *wire.Conn) {
		for served := 0; ; {
			m, err := conn.Receive()
			if err != nil {
				return
			}
			var reply wire.Message = &wire.Hello{Protocol: wire.Protocol}
			if e, ok := m.(*wire.Execute); ok {
				r := invocations.Result{ID: e.ID, Status: invocations.OK}
				switch {
				case e.ID == "deadly", e.ID == "victim" && served > 0:
					return
				case e.ID == "hungry" && served > 0:
					r.Status = invocations.OutOfMemory
				}
				served++
				reply = &wire.Result{Result: r}
			}
			if _, bye := m.(*wire.Goodbye); bye || conn.Send(reply) != nil {
				return
			}
		}
	})
	return endedBy(p, "SIGALRM"), err
}

// An invocation that dies in an executor that others have used is tried once more in a fresh one. One that dies in a
// fresh executor is not.
func TestInnocentDeaths(t *testing.T) {
	for _, c := range []struct {
		order   []string
		status  invocations.Status // of the last one
		retried bool               // the last one
		started int
	}{
		{[]string{"a", "b"}, invocations.OK, false, 1},
		{[]string{"a", "victim"}, invocations.OK, true, 2},
		{[]string{"a", "hungry"}, invocations.OK, true, 2},
		{[]string{"victim", "hungry", "victim"}, invocations.OK, true, 3},
		{[]string{"deadly"}, invocations.Crashed, false, 1},
		{[]string{"a", "deadly"}, invocations.Crashed, false, 2},
		{[]string{"a", "deadly", "victim"}, invocations.OK, false, 3},
		{[]string{"a", "a"}, invocations.OK, false, 1},
	} {
		starter := &mortal{}
		s := &Supervisor{Starter: starter, Build: "test"}
		var last invocations.Result
		for _, id := range c.order {
			var err error
			i := invocations.Invocation{ID: id}
			if last, err = s.unchecked(t.Context(), &wire.Execute{Invocation: i}, ""); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		retried := slices.ContainsFunc(last.Notes, func(n string) bool { return strings.Contains(n, "fresh") })
		if last.Status != c.status || retried != c.retried || starter.started != c.started {
			t.Errorf("%v: %s, tried again %v, %d starts; want %s, %v, %d", c.order, last.Status, retried,
				starter.started, c.status, c.retried, c.started)
		}
	}
}

// silent starts executors that never answer what they are to execute, and counts those that are still there.
type silent struct{ alive atomic.Int32 }

func (s *silent) Start(Allowance) (*Process, error) {
	s.alive.Add(1)
	p, err := played(func(conn *wire.Conn) {
		defer s.alive.Add(-1)
		for {
			m, err := conn.Receive()
			if err != nil {
				return
			}
			if _, asked := m.(*wire.Hello); asked {
				_ = conn.Send(&wire.Hello{Protocol: wire.Protocol}) // the driver notices
			}
		}
	})
	return endedBy(p, "SIGKILL"), err
}

// TestTimeoutKills checks that an executor that has not answered in time is gone when its result is there, so that it
// does not run beside the next one.
func TestTimeoutKills(t *testing.T) {
	t.Parallel()
	starter := &silent{}
	s := &Supervisor{Starter: starter, Build: "test"}
	defer s.Close()
	i := invocations.Invocation{ID: "a", Limits: invocations.Limits{TimeoutNS: int64(10 * time.Millisecond)}}
	r, err := s.unchecked(t.Context(), &wire.Execute{Invocation: i}, "")
	if err != nil || r.Status != invocations.Timeout {
		t.Errorf("%s, %v", r.Status, err)
	}
	if n := starter.alive.Load(); n != 0 {
		t.Errorf("%d executors are still there", n)
	}
}

// counting starts executors and counts how often they are given something to do.
type counting struct {
	*mortal
	begun *int
}

func (c *counting) Start(a Allowance) (*Process, error) {
	p, err := c.mortal.Start(a)
	p.DiscardOutput = func() { *c.begun++ }
	return p, err
}

// TestStartedAhead checks that an executor counts as given something to do when it is asked, not when it has been
// started: while it waits, others write files.
func TestStartedAhead(t *testing.T) {
	begun := 0
	c, err := startChild(t.Context(), &counting{new(mortal), &begun}, "", Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.dismiss()
	if begun != 0 {
		t.Errorf("it was given something to do %d times when it had started", begun)
	}
	if _, err := c.ask(t.Context(), &wire.Execute{Invocation: invocations.Invocation{ID: "a"}}, "a", 0); err != nil {
		t.Fatal(err)
	}
	if begun != 1 {
		t.Errorf("it was given something to do %d times when it was asked once", begun)
	}
}

// An invocation whose own files are too much is not tried again, also in an executor that others have used.
func TestOwnExcess(t *testing.T) {
	for _, own := range []bool{false, true} {
		f := &puppet{exits: []Exit{{Exceeded: Exceeded{Limit: LimitMemory, Used: 2, Allowed: 1, Own: own}}}}
		f.play = func(m *wire.Execute) *invocations.Result {
			if f.starts == 1 && m.Name == "second" {
				return nil
			}
			return &invocations.Result{Status: invocations.OK}
		}
		s := &Supervisor{Starter: f}
		var last invocations.Result
		for _, name := range []string{"first", "second"} {
			var err error
			i := invocations.Invocation{ID: name, Name: name}
			if last, err = s.unchecked(t.Context(), &wire.Execute{Invocation: i}, ""); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		want, starts := invocations.OK, 2
		if own {
			want, starts = invocations.OutOfMemory, 1
		}
		if last.Status != want || f.starts != starts {
			t.Errorf("own %v: %s, %d starts; want %s, %d", own, last.Status, f.starts, want, starts)
		}
	}
}

// TestOwnFaultsAreOwn checks that an executor that ends by itself before native code has run in it is not held against
// the artifact. Once native code has begun, nobody can tell.
func TestOwnFaultsAreOwn(t *testing.T) {
	fault := Exit{Code: exitGoFault, Stderr: []string{"a line before it", "panic: made up", "goroutine 1 [running]:"}}
	for _, c := range []struct {
		exit  Exit
		phase string
		want  invocations.Status
		says  string
	}{
		{Exit{Signal: "SIGSEGV"}, "", invocations.Failed, "zonemark's own code has failed, not the artifact: SIGSEGV"},
		{fault, "", invocations.Failed, "zonemark's own code has failed, not the artifact: panic: made up"},
		{Exit{Signal: "SIGKILL"}, "", invocations.Crashed, "by SIGKILL"}, // somebody else's
		{Exit{Signal: "SIGSEGV"}, "prepare", invocations.Crashed, "native code ended the executor by SIGSEGV"},
		{fault, "prepare", invocations.Crashed, "the executor itself failed in phase prepare: panic: made up"},
		{Exit{Code: exitGoFault}, "", invocations.Crashed, "closed the executor's descriptors"},
		{Exit{Code: exitGoFault, Stderr: []string{"runtime: epollwait on fd 4 failed with 9", pollFault}}, "measure",
			invocations.Crashed, "native code closed the executor's descriptors in phase measure"},
	} {
		f := &puppet{exits: []Exit{c.exit}, phase: func(*wire.Execute) string { return c.phase },
			play: func(*wire.Execute) *invocations.Result { return nil }}
		s := &Supervisor{Starter: f, Build: "test"}
		i := invocations.Invocation{ID: "a"}
		r, err := s.unchecked(t.Context(), &wire.Execute{Invocation: i}, "")
		s.Close()
		if err != nil || r.Status != c.want || !strings.Contains(r.Error, c.says) || (r.Crash == nil) != (c.want == invocations.Failed) {
			t.Errorf("%+v in phase %q: %s %q, crash %v, error %v", c.exit, c.phase, r.Status, r.Error, r.Crash, err)
		}
	}
}

// TestKilledBeforeItBegan checks that nobody is blamed for what an executor took before native code began, unless a fresh
// one takes as much.
func TestKilledBeforeItBegan(t *testing.T) {
	tooMuch := Exit{Signal: "SIGKILL", Exceeded: Exceeded{Limit: LimitMemory, Used: 2 << 30, Allowed: 1 << 30}}
	for _, c := range []struct {
		exits  []Exit
		phase  string
		status invocations.Status
		starts int
	}{
		{[]Exit{tooMuch}, "", invocations.OK, 2},
		{[]Exit{tooMuch, tooMuch}, "", invocations.OutOfMemory, 2},
		{[]Exit{tooMuch}, "measure", invocations.OutOfMemory, 1},
	} {
		f := &puppet{exits: c.exits, phase: func(*wire.Execute) string { return c.phase }}
		f.play = func(*wire.Execute) *invocations.Result {
			if f.starts <= len(c.exits) {
				return nil
			}
			return &invocations.Result{Status: invocations.OK}
		}
		s := &Supervisor{Starter: f}
		i := invocations.Invocation{ID: "f", Name: "f"}
		r, err := s.unchecked(t.Context(), &wire.Execute{Invocation: i}, "")
		s.Close()
		noted := slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.Contains(n, "killed for its memory before native code began")
		})
		if err != nil || r.Status != c.status || f.starts != c.starts || noted != (c.status == invocations.OK) {
			t.Errorf("%+v: %v, status %s, %d starts, notes %q", c, err, r.Status, f.starts, r.Notes)
		}
	}
}

// A resident size near the limit tells of memory that ran out, unless the signal has another cause.
func TestRanOutOfMemory(t *testing.T) {
	const limit = 256 << 20
	for _, c := range []struct {
		exit  Exit
		limit int64
		want  bool
	}{
		{Exit{Signal: "SIGSEGV", MaxRSSBytes: 200 << 20}, limit, true},
		{Exit{Signal: "SIGSEGV", MaxRSSBytes: 20 << 20}, limit, false},
		{Exit{Signal: "SIGSEGV", MaxRSSBytes: 200 << 20}, 0, false},
		{Exit{Signal: "SIGXFSZ", MaxRSSBytes: 41 << 20}, limit, false},
		{Exit{Signal: "SIGFPE", MaxRSSBytes: 250 << 20}, limit, false},
		{Exit{Signal: "SIGKILL", MaxRSSBytes: 2 << 30}, 0, true},
		{Exit{Code: 2, Stderr: []string{"x", "fatal error: runtime: out of memory"}}, 0, true},
		{Exit{Signal: "SIGABRT", Stderr: []string{"what(): std::bad_alloc"}}, 0, true},
		{Exit{Signal: "SIGABRT", Stderr: []string{"what(): out_of_range"}}, 0, false},
	} {
		if got := ranOutOfMemory(c.exit, c.limit); got != c.want {
			t.Errorf("%+v, limit %d: %t", c.exit, c.limit, got)
		}
	}
}

// TestStarvedChildren: the kernel ends a child of a call because memory ran out, and the call, which waited, goes on and
// answers before the watch looks. The answer does not count.
func TestStarvedChildren(t *testing.T) {
	for _, starved := range []bool{false, true} {
		s := &Supervisor{Build: "test", Starter: starterOf(func(Allowance) (*Process, error) {
			p, err := (&mortal{}).Start(Allowance{})
			asked := 0
			p.Starved = func() bool { asked++; return starved && asked > 1 } // not at the handshake
			wait := p.Wait
			p.Wait = func() Exit {
				exit := wait()
				if starved {
					exit.Exceeded = Exceeded{Limit: LimitMemory, Used: 1 << 29, Allowed: 1 << 29}
				}
				return exit
			}
			return p, err
		})}
		r, err := s.unchecked(t.Context(), &wire.Execute{Invocation: invocations.Invocation{ID: "a"}}, "")
		if err != nil {
			t.Fatal(err)
		}
		if memory := strings.Contains(r.Error, "--memory allows more"); (r.Status == invocations.OutOfMemory) != starved ||
			memory != starved {
			t.Errorf("starved %t: %s, %q", starved, r.Status, r.Error)
		}
		s.Close()
	}
}

// starterOf starts executors by a function.
type starterOf func(Allowance) (*Process, error)

func (f starterOf) Start(a Allowance) (*Process, error) { return f(a) }

// What a driver or a plugin has printed is added to its error only if the answer can be true.
func TestLastWords(t *testing.T) {
	words := []string{"no device\x1b[2J"}
	for _, c := range []struct {
		answer invocations.Result
		status invocations.Status
		text   string
	}{
		{invocations.Result{Status: invocations.Failed, Error: "it failed"}, invocations.Failed,
			"it failed; it wrote:\n  no device\ufffd[2J"},
		{invocations.Result{Status: invocations.Failed, Number: 7}, invocations.Crashed, "it is of launch or round 8"},
		{invocations.Result{Status: invocations.Failed, Calling: invocations.Calling{Iterations: 1, CallsPerBatch: 1},
			Batches: invocations.Batches{SamplesNS: []float64{1}}},
			invocations.Crashed, "it has times and the status failed"},
	} {
		s := &Supervisor{Starter: &puppet{exits: []Exit{{Stderr: words}},
			play: func(*wire.Execute) *invocations.Result { r := c.answer; return &r }}}
		inv := invocations.Invocation{ID: "a", Limits: invocations.Limits{PrintsErrors: true}}
		r, err := s.Execute(t.Context(), &wire.Execute{Invocation: inv}, "")
		if err != nil || r.Status != c.status || !strings.Contains(r.Error, c.text) {
			t.Errorf("%s, %q, %v; want %s, %q", r.Status, r.Error, err, c.status, c.text)
		}
		s.Close()
	}
}
