package serving

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// interrupted is a runtime that tells where Go's signal could interrupt what native code waits for.
type interrupted struct {
	onlyProgram
	in *[]string
}

func (interrupted) Name() string { return "interrupted" }

func (r interrupted) tell(where string) error {
	var mask unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &mask); err != nil {
		return err
	}
	if mask.Val[0]&(1<<(unix.SIGURG-1)) == 0 && !slices.Contains(*r.in, where) {
		*r.in = append(*r.in, where)
	}
	return nil
}

func (r interrupted) Load(invocations.Artifact) (executor.Program, error) { return r, r.tell("load") }

func (r interrupted) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	return &executor.Call{
		Work:   &executor.Function{Invoke: func() error { return r.tell("call") }},
		Verify: func(func(string)) (string, error) { return "", r.tell("verify") },
	}, r.tell("prepare")
}

// Whatever is loaded, prepared, compared, checked or measured waits undisturbed; what starts processes does not hand the
// mask on to them.
func TestNothingInterruptsWaiting(t *testing.T) {
	for _, c := range []struct {
		measure invocations.Measure
		command []string
		want    string
	}{
		{invocations.Measure{CheckOnly: true}, nil, "[]"},
		{invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e8}, nil, "[]"},
		{invocations.Measure{MinTimeNS: 1e6, MaxTimeNS: 1e8}, []string{"true"}, "[load prepare verify call]"},
	} {
		in := &[]string{}
		p := serveBy(t, &Server{Runtimes: []executor.Runtime{interrupted{in: in}}})
		e := execute("f", c.measure, true)
		e.Invocation.Runtime, e.Invocation.Command = "interrupted", c.command
		if r := p.ask(e).(*wire.Result); r.Status != invocations.OK || fmt.Sprint(*in) != c.want {
			t.Errorf("%+v: %s %s, Go's signal may come in %v, want %s", c.measure, r.Status, r.Error, *in, c.want)
		}
	}
}
