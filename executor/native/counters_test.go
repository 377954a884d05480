package native

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// processor stands for the kernel. It counts a few of its events at once.
type processor struct {
	room    int             // counters
	events  []*fakeEvent    // all that were opened
	refused map[string]bool // by name
	err     error           // of every opening
	thief   string          // the event that loses its counter for a part of the time
}

type fakeEvent struct {
	p       *processor
	name    string
	inherit bool
	reading
	on, lost, closed bool
}

func (p *processor) open(e Event, inherit bool) (openEvent, error) {
	if p.err != nil {
		return nil, p.err
	}
	if p.refused[e.Name] {
		return nil, &refusal{"no " + e.Name}
	}
	f := &fakeEvent{p: p, name: e.Name, inherit: inherit, reading: reading{Count: 7, Enabled: 50, Running: 40}}
	p.events = append(p.events, f)
	return f, nil
}

// trial lets a microsecond pass: each counter counts one a nanosecond.
func (p *processor) trial() {
	for _, f := range p.events {
		if f.on && !f.lost {
			f.Count += 1000
			f.Enabled += 1000
			f.Running += 1000
			if f.name == p.thief {
				f.Running--
			}
		}
	}
}

func (p *processor) counting() (names []string) {
	for _, f := range p.events {
		if f.on {
			names = append(names, f.name)
		}
	}
	return names
}

func (f *fakeEvent) enable() error {
	f.lost = len(f.p.counting()) >= f.p.room
	f.on = true
	return nil
}

func (f *fakeEvent) disable() error {
	f.on = false
	return nil
}

func (f *fakeEvent) read() (reading, error) {
	if f.on && f.lost {
		return reading{}, io.EOF
	}
	return f.reading, nil
}

func (f *fakeEvent) page() uintptr {
	if f.inherit {
		return 0
	}
	return 4096
}

func (f *fakeEvent) close() error {
	if f.closed {
		return errors.New("closed twice")
	}
	f.closed = true
	return nil
}

// passNames returns the names of the events in each pass.
func passNames(t *testing.T, c *Counters) [][]string {
	t.Helper()
	var all [][]string
	for pass := range c.Passes() {
		if err := c.Select(pass, false); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range c.Selected() {
			names = append(names, e.Name)
		}
		all = append(all, names)
	}
	return all
}

func TestCounterPasses(t *testing.T) {
	const base = "cycles instructions "
	for _, c := range []struct {
		name    string
		p       processor
		want    []string
		missing []string
	}{
		{"room for all", processor{room: 6},
			[]string{base + "branches branch_misses cache_references cache_misses"}, nil},
		{"room for four", processor{room: 4},
			[]string{base + "branches branch_misses", base + "cache_references cache_misses"}, nil},
		{"room for five", processor{room: 5},
			[]string{base + "branches branch_misses cache_references", base + "cache_misses"}, nil},
		{"room for three", processor{room: 3},
			[]string{base + "branches", base + "branch_misses", base + "cache_references", base + "cache_misses"}, nil},
		{"room for cycles and instructions", processor{room: 2}, []string{strings.TrimSpace(base)},
			[]string{"branches", "branch_misses", "cache_references", "cache_misses"}},
		{"one refused", processor{room: 4, refused: map[string]bool{"branches": true}},
			[]string{base + "branch_misses cache_references", base + "cache_misses"}, []string{"branches"}},
		{"no cycles", processor{room: 5, refused: map[string]bool{"cycles": true}},
			[]string{"instructions branches branch_misses cache_references cache_misses"}, []string{"cycles"}},
		{"one is taken now and then", processor{room: 6, thief: "branches"},
			[]string{base + "branch_misses cache_references cache_misses"}, []string{"branches"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			counters, err := openEvents(StandardEvents(), c.p.open, c.p.trial)
			if err != nil {
				t.Fatal(err)
			}
			if on := c.p.counting(); on != nil {
				t.Errorf("%v count before Select", on)
			}
			var want [][]string
			for _, w := range c.want {
				want = append(want, strings.Fields(w))
			}
			if d := cmp.Diff(want, passNames(t, counters)); d != "" {
				t.Errorf("passes (-want +got):\n%s", d)
			}
			for _, name := range c.missing {
				if counters.Missing()[name] == "" {
					t.Errorf("%s is not missing", name)
				}
			}
			if len(counters.Missing()) != len(c.missing) {
				t.Errorf("missing are %v, want %v", counters.Missing(), c.missing)
			}
			if err := counters.Close(); err != nil {
				t.Error(err)
			}
			for _, f := range c.p.events {
				if !f.closed {
					t.Errorf("%s is not closed", f.name)
				}
			}
		})
	}
}

func TestCounterReads(t *testing.T) {
	p := &processor{room: 4}
	c, err := openEvents(StandardEvents(), p.open, p.trial)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	counts := make([]uint64, 4)
	if err := c.Read(counts); err == nil {
		t.Error("Read works before Select")
	}
	for _, inherit := range []bool{false, true} {
		if err := c.Select(1, inherit); err != nil {
			t.Fatal(err)
		}
		if on := p.counting(); len(on) != 4 {
			t.Errorf("%v count, want the four of the pass", on)
		}
		if got := len(c.Pages()); inherit != (got == 0) {
			t.Errorf("%d pages, inherit %v", got, inherit)
		}
		p.trial()
		p.trial()
		if err := c.Read(counts); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]uint64{2000, 2000, 2000, 2000}, counts); d != "" {
			t.Errorf("counts (-want +got):\n%s", d)
		}
	}
	if err := c.Read(counts[:3]); err == nil {
		t.Error("Read stores four counts into three")
	}
	p.thief = "cache_references"
	p.trial()
	lost := "cache_references was counted for 2999 of 3000 ns"
	if err := c.Read(counts); err == nil || !strings.Contains(err.Error(), lost) {
		t.Errorf("an event that lost its counter for a while: %v", err)
	}
	for _, f := range p.events {
		f.lost = f.name == "instructions"
	}
	if err := c.Read(counts); err == nil || !strings.Contains(err.Error(), "instructions has lost its counter") {
		t.Errorf("an event that lost its counter: %v", err)
	}
	if err := c.Select(2, false); err == nil {
		t.Error("there are three passes")
	}
	c.Close()
	if err := c.Select(0, false); err == nil {
		t.Error("Select works after Close")
	}
	if err := c.Read(counts); err == nil || c.Pages() != nil || c.Selected() != nil {
		t.Errorf("Read works after Close: %v", err)
	}
}

func TestCountersThatCannotBeOpened(t *testing.T) {
	for _, c := range []struct {
		name string
		p    processor
		want string
	}{
		{"none exists", processor{refused: map[string]bool{"cycles": true, "instructions": true}},
			"no hardware counters"},
		{"not allowed", processor{err: &CountersError{"not permitted"}}, "not permitted"},
		{"no room", processor{room: 1}, "instructions has lost its counter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := openEvents(nil, c.p.open, c.p.trial)
			var reason *CountersError
			if !errors.As(err, &reason) {
				t.Fatalf("%v, want a *CountersError", err)
			}
			if !strings.Contains(reason.Reason, c.want) || strings.Contains(reason.Reason, "\n") {
				t.Errorf("%v, want one line that says %q", err, c.want)
			}
			for _, f := range c.p.events {
				if !f.closed {
					t.Errorf("%s is not closed", f.name)
				}
			}
		})
	}
}
