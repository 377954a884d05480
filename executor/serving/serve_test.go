package serving

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

// goRuntime runs Go functions, like a runtime whose calls cannot be entered as C functions.
type goRuntime struct {
	closed *int // programs and calls that were closed
	calls  *int
}

func (goRuntime) Name() string { return "go" }

func (goRuntime) Describe(path string, _ executor.DescribeOptions) ([]invocations.Description, error) {
	if path == "bad" {
		return nil, errors.New("bad: not an artifact")
	}
	return []invocations.Description{{
		Artifact:  invocations.Artifact{Path: path},
		Functions: []invocations.Function{{Name: "spin"}},
	}}, nil
}

func (r goRuntime) Load(a invocations.Artifact) (executor.Program, error) { return r, nil }

func (r goRuntime) Close() error { *r.closed++; return nil }

func (r goRuntime) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	work := &executor.Function{}
	call := &executor.Call{Work: work, SetBytes: setBytes, Notes: []string{"a note"}, Close: func() { *r.closed++ }}
	switch inv.Function {
	case "spin":
		work.Invoke = func() error {
			*r.calls++
			for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
			}
			return nil
		}
		call.Profile = func(calls int64) (invocations.Profile, error) {
			return invocations.Profile{
				Dispatches: []invocations.Dispatch{{Name: "turn", Count: calls}},
				CallNS:     40_000,
				HostNS:     1,
				GapNS:      2,
				Notes:      []string{"profiled"},
				Partial:    true,
			}, nil
		}
	case "fails":
		work.Invoke = func() error { return errors.New("the runtime refused") }
	case "differs":
		work.Invoke = func() error { return nil }
		call.Verify = func(phase func(string)) (string, error) {
			phase("verify")
			return "1 of 2 elements differ", nil
		}
	case "large":
		return nil, &executor.MemoryError{Err: errors.New("it needs more than there is")}
	case "elsewhere":
		return nil, &executor.UnsupportedError{Reason: "it needs another machine"}
	default:
		return nil, errors.New("no such function")
	}
	return call, nil
}

// peer is the driver's end of a server that runs in this process.
type peer struct {
	*wire.Conn
	t      *testing.T
	served chan error
	phases []string
}

// serve serves one runtime in this process and returns the driver's end.
func serve(t *testing.T, r executor.Runtime) *peer {
	t.Helper()
	return serveBy(t, &Server{Runtimes: []executor.Runtime{r}})
}

// serveBy serves by a server that is complete except for its Hello.
func serveBy(t *testing.T, s *Server) *peer {
	t.Helper()
	fromPeer, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromServer, toPeer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{Conn: wire.NewConn(fromServer, toServer), t: t, served: make(chan error, 1)}
	s.Hello, s.ParentGone = wire.Hello{Protocol: wire.Protocol, Build: "test"}, func() {}
	go func() {
		p.served <- s.Serve(fromPeer, toPeer)
		toPeer.Close()
	}()
	t.Cleanup(func() { toServer.Close() })
	return p
}

// ask sends a message and returns the answer. It keeps the phases before the answer.
func (p *peer) ask(m wire.Message) wire.Message {
	p.t.Helper()
	if err := p.Send(m); err != nil {
		p.t.Fatal(err)
	}
	p.phases = nil
	for {
		reply, err := p.Receive()
		if err != nil {
			p.t.Fatal(err)
		}
		s, ok := reply.(*wire.Started)
		if !ok {
			return reply
		}
		p.phases = append(p.phases, s.Phase)
	}
}

func execute(function string, m invocations.Measure, last bool) *wire.Execute {
	m.CPU = -1
	if m.Mode == "" {
		m.Mode = invocations.Warm
	}
	inv := invocations.Invocation{
		Name:     function,
		Runtime:  "go",
		Artifact: invocations.Artifact{Path: "a"},
		Function: function,
		Measure:  m,
	}
	inv.Seal()
	return &wire.Execute{Invocation: inv, Last: last}
}

func TestServe(t *testing.T) {
	var closed, calls int
	p := serve(t, goRuntime{&closed, &calls})
	if hello, ok := p.ask(&wire.Hello{Protocol: wire.Protocol}).(*wire.Hello); !ok || hello.Build != "test" {
		t.Errorf("hello: %+v", hello)
	}
	d := p.ask(&wire.Describe{ID: "1", Runtime: "go", Path: "a"}).(*wire.Described)
	if d.Error != "" || d.Descriptions[0].Functions[0].Name != "spin" {
		t.Errorf("describe: %+v", d)
	}
	d = p.ask(&wire.Describe{ID: "1", Runtime: "go", Path: "bad"}).(*wire.Described)
	if d.Error != "bad: not an artifact" {
		t.Errorf("describe: %+v", d)
	}
	d = p.ask(&wire.Describe{ID: "1", Runtime: "gone"}).(*wire.Described)
	if !strings.Contains(d.Error, `"gone" is not known`) {
		t.Errorf("describe: %+v", d)
	}
	if b := p.ask(&wire.Build{ID: "2", Runtime: "go"}).(*wire.Built); !strings.Contains(b.Error, "builds nothing") {
		t.Errorf("build: %+v", b)
	}
	quick := invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e9, MinIterations: 7}
	for _, c := range []struct {
		function string
		measure  invocations.Measure
		status   invocations.Status
		error    string
	}{
		{"spin", quick, invocations.OK, ""},
		{"fails", quick, invocations.Failed, "the runtime refused"},
		{"differs", quick, invocations.Mismatch, "1 of 2 elements differ"},
		{"large", quick, invocations.OutOfMemory, "more than there is"},
		{"elsewhere", quick, invocations.Skipped, "another machine"},
		{"none", quick, invocations.Failed, "no such function"},
		{"spin", invocations.Measure{Mode: invocations.Flush}, invocations.Skipped, "called directly"},
		{"spin", invocations.Measure{CheckOnly: true}, invocations.OK, ""},
	} {
		e := execute(c.function, c.measure, true)
		r := p.ask(e).(*wire.Result)
		if r.ID != e.Invocation.ID || r.Status != c.status || !strings.Contains(r.Error, c.error) {
			t.Errorf("%s: %s %q, want %s %q", c.function, r.Status, r.Error, c.status, c.error)
		}
		if len(p.phases) == 0 || p.phases[0] != "prepare" {
			t.Errorf("%s: phases %v", c.function, p.phases)
		}
		timed := c.status == invocations.OK && !c.measure.CheckOnly
		if timed && (r.Iterations < 7 || r.Summary.MedianNS < 20_000 || r.Clock != "monotonic") {
			t.Errorf("%s: %+v", c.function, r)
		}
		if timed && !slices.Contains(r.Notes, "a note") {
			t.Errorf("%s: %+v", c.function, r)
		}
		if !timed && len(r.SamplesNS) > 0 {
			t.Errorf("%s: it was timed", c.function)
		}
	}
	if bye, ok := p.ask(&wire.Goodbye{}).(*wire.Goodbye); !ok {
		t.Errorf("goodbye: %+v", bye)
	}
	if err := <-p.served; err != nil {
		t.Error(err)
	}
	if closed != 5 {
		t.Errorf("%d calls were closed, want those of 5 invocations that were prepared", closed)
	}
}

// TestRoundsShareASession checks that the rounds of one invocation share what was prepared, and that the last one drops
// it.
func TestRoundsShareASession(t *testing.T) {
	var closed, calls int
	p := serve(t, goRuntime{&closed, &calls})
	m := invocations.Measure{MaxTimeNS: 1e8, Iterations: 20}
	var warmed []int64
	for round := range 3 {
		e := execute("spin", m, round == 2)
		e.Number = round
		r := p.ask(e).(*wire.Result)
		if r.Status != invocations.OK || r.Number != round {
			t.Fatalf("round %d: %+v", round, r)
		}
		warmed = append(warmed, r.WarmupCalls)
		if want := round == 2; (closed == 1) != want {
			t.Errorf("after round %d: %d calls are closed", round, closed)
		}
	}
	if warmed[0] != warmed[1] || warmed[1] != warmed[2] {
		t.Errorf("calls to warm up %v: a later round warmed up again", warmed)
	}
	p.ask(&wire.Goodbye{})
}

// TestTurnsWarmUpAgain measures an invocation in turns, between which another process had the caches: each turn makes
// calls that do not count, and takes the time that its own message allows.
func TestTurnsWarmUpAgain(t *testing.T) {
	var closed, calls int
	p := serve(t, goRuntime{&closed, &calls})
	first := execute("spin", invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e9}, false)
	warmed := int64(0)
	for turn, least := range []int64{1, 7, 31} {
		e := *first
		e.Invocation.Measure.MinIterations, e.Last = least, turn == 2
		r := p.ask(&e).(*wire.Result)
		if r.Status != invocations.OK || r.Iterations < least || r.WarmupCalls <= warmed {
			t.Fatalf("turn %d: %d calls after %d to warm up, %s", turn, r.Iterations, r.WarmupCalls, r.Error)
		}
		warmed = r.WarmupCalls
		if want := turn == 2; (closed == 1) != want {
			t.Errorf("after turn %d: %d calls are closed", turn, closed)
		}
	}
	p.ask(&wire.Goodbye{})
}

// TestFixedIterations makes fixed numbers of calls: each call has its time, and a round has one time for all of them.
func TestFixedIterations(t *testing.T) {
	for _, iterations := range []int64{1, 5, 515} /* more than the loop makes at once */ {
		var closed, calls int
		p := serve(t, goRuntime{&closed, &calls})
		m := invocations.Measure{MaxTimeNS: 5e6, Precision: 0.5, Iterations: iterations}
		for round := range 2 {
			e := execute("spin", m, round == 1)
			e.Number = round
			r := p.ask(e).(*wire.Result)
			good := r.Status == invocations.OK && r.Stop == "iterations" && len(r.RoundsNS) == 1
			if !good || int64(len(r.SamplesNS)) != iterations || r.Iterations != iterations {
				t.Fatalf("%d calls: %+v", iterations, r)
			}
			sum := 0.0
			for _, ns := range r.SamplesNS {
				sum += ns
			}
			if r.WarmupCalls == 0 || sum > r.RoundsNS[0]*(1+1e-4) {
				t.Errorf("%d calls: %g ns together in a round of %g ns, %d calls to warm up",
					iterations, sum, r.RoundsNS[0], r.WarmupCalls)
			}
			if want := r.WarmupCalls + int64(round+1)*iterations; int64(calls) != want {
				t.Errorf("%d calls were made, want %d", calls, want)
			}
		}
		p.ask(&wire.Goodbye{})
	}
}

// TestParentGone closes the driver's end: the server reports it and, if the caller lets it, returns an error.
func TestParentGone(t *testing.T) {
	r, w := io.Pipe()
	told := make(chan bool, 1)
	s := &Server{ParentGone: func() { told <- true }}
	w.Close()
	if err := s.Serve(r, io.Discard); err == nil || !<-told {
		t.Errorf("err %v", err)
	}
}

func TestColdBytes(t *testing.T) {
	for _, c := range []struct {
		m    invocations.Measure
		want int64
	}{
		{invocations.Measure{Mode: invocations.Warm, SetBytes: 5}, 0},
		{invocations.Measure{Mode: invocations.Cold, SetBytes: 5}, 5},
	} {
		if got, err := coldBytes(c.m); err != nil || got != c.want {
			t.Errorf("%+v: %d, %v", c.m, got, err)
		}
	}
	cache, err := platform.LastLevelCacheBytes()
	got, coldErr := coldBytes(invocations.Measure{Mode: invocations.Cold})
	switch {
	case err != nil && !slices.Equal(remedy.Of(coldErr), []remedy.Remedy{{Kind: remedy.SetsSize}}):
		t.Error(coldErr)
	case err == nil && got != 2*cache:
		t.Errorf("%d bytes for a cache of %d", got, cache)
	}
}
