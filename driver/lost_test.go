package driver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// Nobody tries further to reach a lost host when others have measured everything.
func TestReconnectCalledOff(t *testing.T) {
	plan := numbered(6, 1)
	lost := make(chan struct{})
	called := false
	a := newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
		<-lost // b has something, too
		return quick(m)
	})
	b := newGhost("b", "x", func(*wire.Execute) *invocations.Result { return nil })
	b.host.Reconnect = func(ctx context.Context) error {
		close(lost)
		<-ctx.Done()
		called = true
		return ctx.Err()
	}
	var notes []string
	outcome, err := Execute(t.Context(), plan, Execution{Hosts: hostsOf(a, b), Note: func(format string, args ...any) {
		notes = append(notes, fmt.Sprintf(format, args...))
	}})
	if err != nil || outcome.Records.Len() != 6 || !called {
		t.Fatalf("%d records, called off %t, %v", outcome.Records.Len(), called, err)
	}
	if text := strings.Join(notes, "\n"); strings.Contains(text, "gone") || !strings.Contains(text, "is measured again") {
		t.Errorf("notes:\n%s", text)
	}
	for _, r := range recordstest.All(t, outcome.Records) {
		if r.Status != invocations.OK || r.Host != "a" {
			t.Errorf("%s: %s on %s", r.Name, r.Status, r.Host)
		}
	}
}

// A host that has nothing to do waits as long as another one may give something back.
func TestIdleHostWaits(t *testing.T) {
	done := make(chan struct{})
	a := newGhost("a", "x", quick)
	b := newGhost("b", "x", func(*wire.Execute) *invocations.Result {
		<-done
		return nil
	})
	b.host.Reconnect = func(context.Context) error { return errors.New("no route") }
	outcome, err := Execute(t.Context(), numbered(2, 1), Execution{Hosts: hostsOf(a, b), Note: func(string, ...any) {},
		Progress: func(p Progress) {
			if p.Record != nil && p.Finished == 1 {
				close(done)
			}
		}})
	if err != nil || outcome.Records.Len() != 2 {
		t.Errorf("%d records, %v", outcome.Records.Len(), err)
	}
}

// A host that does not come back leaves its work to others. Without others, the run ends and says why.
func TestHostGone(t *testing.T) {
	for _, alone := range []bool{false, true} {
		begun := make(chan struct{})
		a := newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
			<-begun
			return quick(m)
		})
		var once sync.Once
		b := newGhost("b", "x", func(*wire.Execute) *invocations.Result {
			once.Do(func() { close(begun) })
			return nil
		})
		b.host.Reconnect = func(context.Context) error { return errors.New("no route\nto it") }
		hosts := hostsOf(a, b)
		if alone {
			hosts = hostsOf(b)
		}
		outcome, err := Execute(t.Context(), numbered(6, 2), Execution{Hosts: hosts, Note: func(string, ...any) {}})
		switch {
		case !alone && (err != nil || outcome.Records.Len() != 6):
			t.Errorf("%d records, %v", outcome.Records.Len(), err)
		case alone && (fmt.Sprint(err) != "no host is left: host b is gone: no route" || outcome.Records.Len() != 0):
			t.Errorf("%d records, %v", outcome.Records.Len(), err)
		}
	}
}

// Who is left when a host is gone takes as much at once as it takes alone.
func TestShareOfWhoIsLeft(t *testing.T) {
	gone := make(chan struct{})
	var rounds []int // launches that follow each other with the same number
	last := -1
	a := newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
		<-gone
		if m.Number != last {
			rounds, last = append(rounds, 0), m.Number
		}
		rounds[len(rounds)-1]++
		return quick(m)
	})
	b := newGhost("b", "x", func(*wire.Execute) *invocations.Result { return nil })
	b.host.Reconnect = func(context.Context) error { return errors.New("no route") }
	outcome, err := Execute(t.Context(), numbered(16, 2), Execution{Hosts: hostsOf(a, b),
		Note: func(format string, args ...any) {
			if strings.Contains(fmt.Sprintf(format, args...), "b is gone") {
				close(gone)
			}
		}})
	if err != nil || outcome.Records.Len() != 16 || fmt.Sprint(rounds) != "[4 4 8 8 4 4]" {
		t.Errorf("%d records, rounds of %v launches, %v", outcome.Records.Len(), rounds, err)
	}
}

// Pairs are not measured again when their host is lost: what was decided of them cannot be taken back.
func TestPairsLoseTheirHost(t *testing.T) {
	plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), CPU: -1})
	launches := 0
	a := newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
		if launches++; launches == 5 {
			return nil
		}
		return quick(m)
	})
	outcome, err := Execute(t.Context(), plan, Execution{Hosts: hostsOf(a), Pairs: &Pairs{Of: of,
		Decided: func(int, [2][]invocations.Result, bool) bool { return false }}})
	if !errors.Is(err, executors.ErrHostLost) || outcome.Records.Len() != 0 || launches != 5 {
		t.Errorf("%d records, %d launches, %v", outcome.Records.Len(), launches, err)
	}
}

// A run on hosts that is interrupted ends on all of them, and tells what is known of what each was measuring.
func TestInterruptedHosts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var both sync.WaitGroup
	both.Add(2)
	play := func(m *wire.Execute) *invocations.Result {
		if m.Number == 2 {
			both.Done()
			both.Wait()
			cancel()
			<-ctx.Done()
		}
		return quick(m)
	}
	hosts := hostsOf(newGhost("a", "x", play), newGhost("b", "x", play))
	outcome, err := Execute(ctx, numbered(2, 4), Execution{Hosts: hosts})
	if !errors.Is(err, context.Canceled) || outcome.Records.Len() != 0 || outcome.Partial.Len() != 2 {
		t.Fatalf("%d records, %d of interrupted invocations, %v", outcome.Records.Len(), outcome.Partial.Len(), err)
	}
	for _, r := range recordstest.All(t, outcome.Partial) {
		if *r.Launches < 2 || r.Host == "" {
			t.Errorf("%s: %d launches on %q", r.Name, *r.Launches, r.Host)
		}
	}
}

// failing starts no executors after some.
type failing struct {
	*ghost
	left int
}

func (f *failing) Start(allowed executors.Allowance) (*executors.Process, error) {
	if f.left--; f.left < 0 {
		return nil, errors.New("no room")
	}
	return f.ghost.Start(allowed)
}

// An error of one host ends the run on all of them.
func TestHostFails(t *testing.T) {
	stopped := make(chan struct{})
	var once sync.Once
	a := newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
		if m.Number == 1 {
			<-stopped
		}
		return quick(m)
	})
	b := newGhost("b", "x", func(m *wire.Execute) *invocations.Result { return quick(m) })
	b.host.Executor = &failing{b, 1}
	outcome, err := Execute(t.Context(), numbered(2, 3), Execution{Hosts: hostsOf(a, b), Progress: func(p Progress) {
		if strings.HasPrefix(p.Name, "f") && p.Launch == 1 {
			once.Do(func() { close(stopped) })
		}
	}})
	if err == nil || !strings.Contains(err.Error(), "no room") || outcome.Complete {
		t.Errorf("%v", err)
	}
}

// TestPartialRace interrupts a race: what is known of the variants that are left is told, those that were dropped are
// kept.
func TestPartialRace(t *testing.T) {
	const variants = 20
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := newRacing(steps, func(m *wire.Execute, _ *invocations.Result) {
		if m.Number == 3 {
			cancel()
		}
	})
	outcome, err := Execute(ctx, raceOf(variants), Execution{Executor: p})
	kept, partial := outcome.Records.Len(), outcome.Partial.Len()
	if !errors.Is(err, context.Canceled) || partial == 0 || kept == 0 || kept+partial != variants {
		t.Errorf("%d records, %d of interrupted variants, %v", kept, partial, err)
	}
}

// A run that is interrupted while it tries to reach its host ends as interrupted.
func TestInterruptedReconnect(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := newGhost("a", "x", func(*wire.Execute) *invocations.Result { return nil })
	a.host.Reconnect = func(trying context.Context) error {
		cancel()
		<-trying.Done()
		return errors.New("no route")
	}
	outcome, err := Execute(ctx, numbered(2, 1), Execution{Hosts: hostsOf(a), Note: func(string, ...any) {}})
	if !errors.Is(err, context.Canceled) || outcome.Records.Len() != 0 {
		t.Errorf("%d records, %v", outcome.Records.Len(), err)
	}
}

// ending counts the executors that are ended.
type ending struct {
	*ghost
	started, ended atomic.Int32
}

func (e *ending) Start(allowed executors.Allowance) (*executors.Process, error) {
	p, err := e.ghost.Start(allowed)
	if err == nil {
		e.started.Add(1)
		wait := p.Wait
		p.Wait = func() executors.Exit {
			e.ended.Add(1)
			return wait()
		}
	}
	return p, err
}

// When a host was lost, all its executors are ended before it is connected again, also one that was started ahead.
func TestLostExecutorsEnd(t *testing.T) {
	lost := false
	c := &ending{ghost: newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
		if m.Number == 1 && !lost {
			lost = true
			return nil
		}
		return quick(m)
	})}
	c.host.Executor = c
	c.host.Reconnect = func(context.Context) error {
		if started, ended := c.started.Load(), c.ended.Load(); started != ended || started < 2 {
			t.Errorf("%d of %d executors are ended", ended, started)
		}
		return nil
	}
	outcome, err := Execute(t.Context(), numbered(1, 3), Execution{Hosts: []*Host{c.host}, Note: func(string, ...any) {}})
	if err != nil || outcome.Records.Len() != 1 || !lost {
		t.Errorf("%d records, %v", outcome.Records.Len(), err)
	}
}
