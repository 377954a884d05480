package serving

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// movable is a runtime whose arguments can be in memory that is exchanged. It notes where they are put.
type movable struct {
	goRuntime
	places *[]string
	refuse bool
}

func (r movable) Load(a invocations.Artifact) (executor.Program, error) { return r, nil }

func (r movable) PrepareIn(inv *invocations.Invocation, setBytes int64, shared platform.Shared) (*executor.Call, error) {
	*r.places = append(*r.places, fmt.Sprintf("prepared in %d", shared.Part))
	call, err := r.Prepare(inv, setBytes)
	call.Move = func(to platform.Shared) error {
		*r.places = append(*r.places, fmt.Sprintf("moved to %d", to.Part))
		if r.refuse {
			return errors.New("no memory")
		}
		return nil
	}
	return call, err
}

// TestParts: rounds find their arguments in the part of the exchange that they ask for.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		exchange *platform.Exchange
		parts    []int
		want     []string
	}{
		{&platform.Exchange{}, []int{1, 1, 2, 2, 1}, []string{"prepared in 0", "moved to 1", "moved to 0"}},
		{&platform.Exchange{}, []int{2, 1}, []string{"prepared in 1", "moved to 0"}},
		{&platform.Exchange{}, []int{0, 0}, nil},
		{nil, []int{1, 2}, nil},
	} {
		var closed, calls int
		var places []string
		p := serveBy(t, &Server{Exchange: c.exchange,
			Runtimes: []executor.Runtime{movable{goRuntime: goRuntime{&closed, &calls}, places: &places}}})
		for turn, part := range c.parts {
			e := execute("spin", invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e9, MinIterations: 1}, turn == len(c.parts)-1)
			e.Part = part
			if r := p.ask(e).(*wire.Result); r.Status != invocations.OK {
				t.Fatalf("turn %d: %s %s", turn, r.Status, r.Error)
			}
		}
		p.ask(&wire.Goodbye{})
		if !slices.Equal(places, c.want) || closed != 1 {
			t.Errorf("parts %v: %q, %d calls are closed", c.parts, places, closed)
		}
	}
}

var inChild = flag.Bool("child", false, "this process may be changed")

// TestTurnsStayOnACPU: the thread of a launch in turns stays where it is, or goes to the CPU of the other side. A process
// of its own pins its threads.
func TestTurnsStayOnACPU(t *testing.T) {
	here, known := platform.CurrentCPU()
	if !known {
		t.Skip("this system does not tell the CPU of a thread")
	}
	if !*inChild {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(self, "-test.run=^TestTurnsStayOnACPU$", "-test.v", "-child").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestTurnsStayOnACPU") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, c := range []struct {
		inTurns bool
		cpu     int
	}{{true, -1}, {true, here}, {false, -1}} {
		var closed, calls int
		p := serve(t, goRuntime{&closed, &calls})
		first := 0
		for turn := range 3 {
			e := execute("spin", invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e9, MinIterations: 1}, turn == 2)
			e.InTurns = c.inTurns
			if c.cpu >= 0 {
				e.Measure.CPU = c.cpu
			}
			r := p.ask(e).(*wire.Result)
			if r.Status != invocations.OK {
				t.Fatal(r.Error)
			}
			if turn == 0 {
				first = r.CPU
			}
			if (r.CPU > 0) != c.inTurns || r.CPU != first || c.cpu >= 0 && r.CPU != c.cpu+1 {
				t.Errorf("%+v: turn %d is on CPU %d", c, turn, r.CPU-1)
			}
		}
		p.ask(&wire.Goodbye{})
	}
}

// TestMoveFails: a move that fails is the round's failure, and releases what was prepared.
func TestMoveFails(t *testing.T) {
	var closed, calls int
	var places []string
	p := serveBy(t, &Server{Exchange: &platform.Exchange{},
		Runtimes: []executor.Runtime{movable{goRuntime: goRuntime{&closed, &calls}, places: &places, refuse: true}}})
	e := execute("spin", invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e9, MinIterations: 1}, false)
	e.Part = 1
	if r := p.ask(e).(*wire.Result); r.Status != invocations.OK {
		t.Fatalf("%s %s", r.Status, r.Error)
	}
	e.Part, e.Last = 2, true
	if r := p.ask(e).(*wire.Result); r.Status != invocations.Failed || r.Error != "no memory" || closed != 1 {
		t.Errorf("%s %q, %d calls are closed", r.Status, r.Error, closed)
	}
	p.ask(&wire.Goodbye{})
}

func TestStepsNeedMemory(t *testing.T) {
	var closed, calls int
	p := serve(t, goRuntime{&closed, &calls})
	e := execute("spin", invocations.Measure{MinTimeNS: 1e6}, true)
	e.Steps = wire.Steps{Turn: 1}
	if r := p.ask(e).(*wire.Result); r.Status != invocations.Failed || !strings.Contains(r.Error, "no memory for steps") {
		t.Errorf("%s %s", r.Status, r.Error)
	}
	p.ask(&wire.Goodbye{})
}
