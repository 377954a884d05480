package launch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
	"zonemark/invocations/wire/wiretest"
)

// puppet is executors in this process. They answer as play tells, and die if it returns nil.
type puppet struct {
	play  func(executor int, m *wire.Execute) *invocations.Result
	phase string
	begun func(executor int) // is called when one starts; may be nil

	mu      sync.Mutex
	started []executors.Allowance
}

func (p *puppet) Start(allowed executors.Allowance) (*executors.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := len(p.started)
	p.started = append(p.started, allowed)
	if p.begun != nil {
		p.begun(number)
	}
	c := (&wiretest.Player{
		Play:  func(m *wire.Execute) *invocations.Result { return p.play(number, m) },
		Phase: func(*wire.Execute) string { return p.phase },
	}).Connect()
	return &executors.Process{To: c.To, From: c.From, Kill: c.End, DiscardOutput: func() {},
		Wait: func() executors.Exit { <-c.Ended; return executors.Exit{Signal: "SIGSEGV"} }}, nil
}

// allowed returns what an executor was started with.
func (p *puppet) allowed(executor int) executors.Allowance {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started[executor]
}

// works answers a message well.
func works(m *wire.Execute) *invocations.Result {
	r := combinetest.MadeUp(1000)
	r.Number, r.CallsPerBatch, r.Iterations = m.Number, 5, 5*int64(len(r.SamplesNS))
	if m.Measure.CheckOnly {
		r = invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Stop: invocations.StopCheck},
			Number: m.Number}
	}
	return &r
}

// workerOf returns a worker of puppets, which a test need not close.
func workerOf(t *testing.T, p *puppet) *Worker {
	w := NewWorker(Machine{Executor: p}, "test", nil, nil)
	t.Cleanup(w.Close)
	return w
}

// orderOf returns the order to launch invocations of one artifact, by their names.
func orderOf(way Way, names ...string) *Order {
	o := &Order{Make: way, Begun: time.Now(), TurnNS: 1_000_000}
	for _, name := range names {
		inv := invocations.Invocation{ID: name, Name: name, Runtime: "hat", Measure: invocations.Measure{CPU: -1}}
		inv.Artifact.Path = "k.hat"
		o.Sides = append(o.Sides, Side{Message: &wire.Execute{Invocation: inv, Last: true}})
	}
	return o
}

// Which executor has which launch: a fresh one, unless both launches allow that they share one.
func TestSharing(t *testing.T) {
	shared := func(o *Order) { o.Shared = true }
	measure := func(edit func(*invocations.Invocation)) func(*Order) {
		return func(o *Order) {
			o.Shared = true
			edit(&o.Sides[0].Message.Invocation)
		}
	}
	none := func(*Order) {}
	pinned := measure(func(inv *invocations.Invocation) { inv.Measure.CPU = 1 })
	for _, c := range []struct {
		name          string
		first, second func(*Order)
		way           [2]Way
		same          bool
	}{
		{"two launches", none, none, [2]Way{Alone, Alone}, false},
		{"that share", shared, shared, [2]Way{Alone, Alone}, true},
		{"of which one shares", shared, none, [2]Way{Alone, Alone}, false},
		{"of which the other one shares", none, shared, [2]Way{Alone, Alone}, false},
		{"that share, the second one fresh", shared, func(o *Order) { o.Shared, o.Fresh = true, true },
			[2]Way{Alone, Alone}, false},
		{"of other artifacts", shared, measure(func(inv *invocations.Invocation) { inv.Artifact.Path = "l.hat" }),
			[2]Way{Alone, Alone}, false},
		{"of other runtimes", shared, measure(func(inv *invocations.Invocation) { inv.Runtime = "tt" }),
			[2]Way{Alone, Alone}, false},
		{"on other CPUs", shared, pinned, [2]Way{Alone, Alone}, false},
		{"two calls", none, none, [2]Way{Once, Once}, true},
		{"two calls, the second one fresh", none, func(o *Order) { o.Fresh = true }, [2]Way{Once, Once}, false},
		{"a launch after a call", shared, shared, [2]Way{Once, Alone}, false},
		{"a call of all CPUs after one of a CPU", pinned, none, [2]Way{Once, Once}, false},
		{"a call of all CPUs after a launch on a CPU", pinned, none, [2]Way{Alone, Once}, false},
	} {
		var by []int
		w := workerOf(t, &puppet{play: func(executor int, m *wire.Execute) *invocations.Result {
			by = append(by, executor)
			return works(m)
		}})
		for k, edit := range []func(*Order){c.first, c.second} {
			o := orderOf(c.way[k], string(rune('a'+k)))
			edit(o)
			if a := w.Make(t.Context(), o); a.Err != nil || a.Results[0].Status != invocations.OK {
				t.Fatalf("%s: %+v", c.name, a)
			}
		}
		if (by[0] == by[1]) != c.same {
			t.Errorf("%s: by the executors %v", c.name, by)
		}
	}
}

// The first launch is supervised if it is ordered to. If that would slow calls down, it is made again without, and
// what it has seen is told.
func TestUnsupervised(t *testing.T) {
	for _, c := range []struct {
		asks   int // how many executors ask for others
		status invocations.Status
		want   []bool
	}{
		{0, invocations.OK, []bool{true}}, {1, invocations.OK, []bool{true, false}},
		{2, invocations.Crashed, []bool{true, false}},
	} {
		p := &puppet{}
		var supervised []bool
		p.play = func(executor int, m *wire.Execute) *invocations.Result {
			if supervised = append(supervised, p.allowed(executor).Supervised); len(supervised) <= c.asks {
				return &invocations.Result{Status: invocations.OK,
					Calling: invocations.Calling{Stop: invocations.StopSupervised}, Notes: []string{"refused"},
					Verdicts: []invocations.Verdict{invocations.Refused}}
			}
			return works(m)
		}
		o := orderOf(Alone, "a")
		o.Supervised = true
		a := workerOf(t, p).Make(t.Context(), o)
		if a.Err != nil || a.Results[0].Status != c.status || !slices.Equal(supervised, c.want) {
			t.Fatalf("%d ask: supervised %v, %+v", c.asks, supervised, a)
		}
		r := a.Results[0]
		told := slices.Contains(r.Notes, "refused") && slices.Contains(r.Verdicts, invocations.Refused)
		if told != (c.asks == 1) {
			t.Errorf("%d ask: %q, %v", c.asks, r.Notes, r.Verdicts)
		}
	}
}

// An answer tells whether the executor has ended in the reference, and carries the note of another one if outputs were
// compared with it.
func TestReferenceOfLaunch(t *testing.T) {
	for _, way := range []Way{Alone, Once} {
		for _, c := range []struct {
			phase, note string
			dies        bool
			trusted     bool
			reference   bool
			noted       bool
		}{
			{"reference", "", true, false, true, false}, {"measure", "", true, false, false, false},
			{"reference", "", false, false, false, false}, {"measure", "compared", false, false, false, true},
			{"measure", "compared", false, true, false, false}, {"measure", "compared", true, false, false, false},
		} {
			p := &puppet{phase: c.phase, play: func(_ int, m *wire.Execute) *invocations.Result {
				if c.dies {
					return nil
				}
				return works(m)
			}}
			o := orderOf(way, "a")
			o.Sides[0].Note, o.Sides[0].Message.Trusted = c.note, c.trusted
			a := workerOf(t, p).Make(t.Context(), o)
			if a.Err != nil || a.Reference != c.reference || slices.Contains(a.Results[0].Notes, "compared") != c.noted ||
				a.Results[0].Status == invocations.Crashed != c.dies || a.Took <= 0 {
				t.Errorf("%+v: %+v", c, a)
			}
		}
	}
}

// An error tells of which invocation, and whether an executor had it.
func TestLaunchFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &puppet{play: func(_ int, m *wire.Execute) *invocations.Result {
		cancel()
		<-ctx.Done()
		return works(m)
	}}
	for _, way := range []Way{Alone, Once} {
		a := workerOf(t, p).Make(ctx, orderOf(way, "a"))
		if a.Results != nil || !errors.Is(a.Err, context.Canceled) || !strings.HasPrefix(a.Err.Error(), "a: ") {
			t.Errorf("%+v", a)
		}
	}
	o := orderOf(InTurns, "a", "b")
	for k := range o.Sides {
		o.Sides[k].Before = combinetest.LaunchesOf(1000)
	}
	if a := workerOf(t, p).Make(ctx, o); !errors.Is(a.Err, context.Canceled) || a.Asked {
		t.Errorf("%+v", a)
	}
}

// Each side has an executor, which it keeps for all turns. Who begins changes from turn to turn, and the CPU is that
// of the first one. A side that fails ends the launch.
func TestInTurns(t *testing.T) {
	const turns = 4
	for _, c := range []struct {
		first, failing int // message of all that fails, from 1; 0: none
		want           string
		results        [2]bool
	}{
		{0, 0, "abbaabba", [2]bool{true, true}}, {1, 0, "baabbaab", [2]bool{true, true}},
		{0, 1, "a", [2]bool{true, false}}, {1, 1, "b", [2]bool{false, true}}, {0, 6, "abbaab", [2]bool{true, true}},
	} {
		order := ""
		by := map[string]int{}
		p := &puppet{play: func(executor int, m *wire.Execute) *invocations.Result {
			order += m.Name
			if was, had := by[m.Name]; had && was != executor {
				t.Errorf("%+v: %s has the executors %d and %d", c, m.Name, was, executor)
			}
			by[m.Name] = executor
			turn := (len(order) - 1) / 2
			if cpu := 2; m.Measure.CPU != cpu && len(order) > 1 || m.Last != (turn == turns-1) || !m.InTurns ||
				m.Measure.MinTimeNS != 1_000_000 || turn > 0 && m.Measure.MaxTimeNS != 1_500_000 || m.Measure.MinIterations != 3 {
				t.Errorf("%+v: turn %d: %+v", c, turn, m)
			}
			if len(order) == c.failing {
				return &invocations.Result{Status: invocations.Failed, Error: "no"}
			}
			r := works(m)
			r.CPU = 3
			return r
		}}
		o := orderOf(InTurns, "a", "b")
		o.First, o.Turns = c.first, turns
		for k := range o.Sides {
			o.Sides[k].Before, o.Sides[k].Message.Measure.MinIterations = combinetest.LaunchesOf(1000), 10
		}
		a := workerOf(t, p).Make(t.Context(), o)
		if a.Err != nil || order != c.want || c.failing != 1 && by["a"] == by["b"] {
			t.Errorf("%+v: order %s by %v, %v", c, order, by, a.Err)
		}
		for k, r := range a.Results {
			if (r != nil) != c.results[k] || r != nil && c.failing == 0 && len(r.MergedSamples) != turns {
				t.Errorf("%+v: side %d has %+v", c, k, r)
			}
		}
	}
}

// While an executor measures, the next one is started with the limits of what follows.
func TestStartedAhead(t *testing.T) {
	ahead := make(chan struct{})
	p := &puppet{
		begun: func(executor int) {
			if executor == 1 {
				close(ahead)
			}
		},
		play: func(_ int, m *wire.Execute) *invocations.Result {
			select {
			case <-ahead:
			case <-time.After(time.Minute):
				t.Error("no executor is started ahead")
			}
			return works(m)
		},
	}
	o := orderOf(Alone, "a")
	o.Following.MemoryBytes = 7 << 30
	if a := workerOf(t, p).Make(t.Context(), o); a.Err != nil {
		t.Fatal(a.Err)
	}
	if got := p.allowed(1).MemoryBytes; got != 7<<30 {
		t.Errorf("the one that is started ahead may have %d bytes", got)
	}
}
