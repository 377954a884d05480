package serving

import (
	"slices"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

func TestRefusals(t *testing.T) {
	list := []Refusal{
		{"clone", "", 8, "--a"}, {"openat", "/x", 3, "--b"}, {"socket", "", 8, "--a"},
	}
	const end = "; the time is that of calls that went on without it"
	if got, want := refusalNote(list, 8),
		"refused: clone, 1 a call (--a); openat of /x, 3 in 8 calls (--b); socket, 1 a call (--a)"+end; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	if got, want := refusalNote(list[:1], 0), "refused: clone (--a)"+end; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	if got, want := refusalText(list),
		"; the sandbox refused clone, socket: --a; the sandbox refused openat of /x: --b"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if refusalNote(nil, 8) != "" || refusalText(nil) != "" {
		t.Error("nothing was refused, and something is told")
	}
}

// A row during whose calls something was refused is never clean. What is known of the first calls is told once.
func TestTellRefused(t *testing.T) {
	pending := []Refusal{{"clone", "", 8, "--a"}}
	s := &Server{Supervision: Supervision{Refused: func() []Refusal {
		list := pending
		pending = nil
		return list
	}}}
	var first invocations.Result
	s.tell(&first, 8)
	pending = []Refusal{{"clone", "", 1000, "--a"}, {"kill", "", 2, "--b"}}
	timed := invocations.Result{Verdicts: []invocations.Verdict{invocations.Clean}}
	s.tell(&timed, 0)
	if len(first.Notes) != 1 || len(timed.Notes) != 1 {
		t.Errorf("notes %q and %q, want one of each call", first.Notes, timed.Notes)
	}
	if want := []invocations.Verdict{invocations.Refused}; !slices.Equal(timed.Verdicts, want) {
		t.Errorf("verdicts %v, want %v", timed.Verdicts, want)
	}
	pending = nil
	timed = invocations.Result{Verdicts: []invocations.Verdict{invocations.Clean}}
	if s.tell(&timed, 0); slices.Contains(timed.Verdicts, invocations.Clean) {
		t.Error("later results of the round are clean")
	}
	s.refused = nil
	clean := invocations.Result{Verdicts: []invocations.Verdict{invocations.Clean}}
	if s.tell(&clean, 0); len(clean.Notes) > 0 || !slices.Equal(clean.Verdicts, []invocations.Verdict{invocations.Clean}) {
		t.Errorf("nothing was refused: %v, %q", clean.Verdicts, clean.Notes)
	}
}

// fileReader is a runtime of functions of Go whose loading, and whose calls if it says so, touch a file.
type fileReader struct {
	sum
	touched *int64
	calls   bool
}

func (r fileReader) Load(invocations.Artifact) (executor.Program, error) {
	*r.touched++
	return r, nil
}

func (r fileReader) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	return &executor.Call{Work: &executor.Function{Invoke: func() error {
		if r.calls {
			*r.touched++
		}
		return nil
	}}}, nil
}

// Only calls that supervision slows down ask for an executor without it. What loading took longer does not count: the
// first launch of each IREE module that Python runs was made twice.
func TestSlowedCalls(t *testing.T) {
	for _, calls := range []bool{false, true} {
		touched := int64(0)
		p := serveBy(t, &Server{Runtimes: []executor.Runtime{fileReader{touched: &touched, calls: calls}},
			Supervision: Supervision{Slowed: func() int64 {
				n := touched
				touched = 0
				return n
			}}})
		e := execute("f", invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e8}, true)
		e.Invocation.Runtime = "sum"
		r := p.ask(e).(*wire.Result)
		if again := r.Stop == invocations.StopSupervised; r.Status != invocations.OK || again != calls {
			t.Errorf("calls that touch files %t: %s %s, stop %s", calls, r.Status, r.Error, r.Stop)
		}
	}
}

// A ring of io_uring that was refused explains an error only if that names it: runtimes go on without one.
func TestExplaining(t *testing.T) {
	ring, socket := Refusal{"io_uring_setup", "", 1, "--a"}, Refusal{"socket", "", 1, "--a"}
	for _, c := range []struct {
		err  string
		want []Refusal
	}{
		{"input.npy: the shape is 3, not 4", []Refusal{socket}},
		{"io_uring_queue_init: no such ring", []Refusal{ring, socket}},
		{"the ring cannot be made: Operation not permitted", []Refusal{ring, socket}},
	} {
		if got := explaining([]Refusal{ring, socket}, c.err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.err, got, c.want)
		}
	}
}
