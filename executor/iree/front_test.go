package iree

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor"
)

// echoProvider opens sessions whose functions return their first input.
type echoProvider struct{ missing, refuses error }

func (echoProvider) name() string            { return "echo" }
func (p echoProvider) unusable(string) error { return p.missing }

func (p echoProvider) open(string, map[string]string, ...session) (session, error) {
	return &echoSession{}, p.refuses
}

func (p echoProvider) chain(_ int64, stages []*bound, _ [][]move) (*bound, error) {
	return stages[0], p.refuses
}

// A dispatch is compared with the function of the first provider that can call it; what others lack is not said, unless
// none can.
func TestCallWhole(t *testing.T) {
	gone, broken := errors.New("not here"), errors.New("broken")
	for _, c := range []struct {
		providers []provider
		why       string
	}{
		{[]provider{echoProvider{}}, ""},
		{[]provider{echoProvider{missing: gone}, echoProvider{}}, ""},
		{[]provider{echoProvider{refuses: broken}, echoProvider{}}, ""},
		{[]provider{echoProvider{refuses: broken}}, "echo: broken"},
		{[]provider{echoProvider{missing: gone}}, "no IREE runtime is installed"},
		{nil, "no IREE runtime is installed"},
	} {
		p, _ := echoProgram()
		got, why := callWhole(c.providers, "echo.vmfb", nil, invocation(p, "echo", constant("2")))
		if why != c.why || (len(got) == 1) != (c.why == "") {
			t.Errorf("%+v: %d results, %q, want %q", c.providers, len(got), why, c.why)
		}
	}
}

// Without a runtime, dispatches are measured alone, and a warning says so unless it was asked for.
func TestNothingInstalled(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("dispatches cannot be called here")
	}
	for asked, warned := range map[string]bool{"": true, ProviderAuto: true, ProviderDispatch: false} {
		o := executor.DescribeOptions{Options: map[string]string{OptionProvider: asked}, Cache: t.TempDir()}
		list, err := Runtime{}.Describe(sample("mlp.vmfb"), o)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		said := strings.Contains(strings.Join(list[0].Warnings, "\n"), "its dispatches are called one by one")
		if by := list[0].Artifact.Options[OptionProvider]; by != ProviderDispatch || said != warned {
			t.Errorf("asked for %q: %s, warnings %q", asked, by, list[0].Warnings)
		}
	}
}

// A set that the timing loop cannot call makes the calls of all go through Go: the two kinds never mix.
func TestWorkloadIsOfOneKind(t *testing.T) {
	native := &bound{calls: &echoCalls{}, direct: &direct{failed: func() error { return nil }}}
	through := &bound{calls: &echoCalls{}}
	for _, c := range []struct {
		sets   []*bound
		frames int // 0: calls go through Go
	}{
		{[]*bound{native}, 1}, {[]*bound{native, native}, 2}, {[]*bound{through}, 0}, {[]*bound{native, through}, 0},
	} {
		work := workload(c.sets, func() *bound { return c.sets[0] }, executor.OnThread{Waits: true})
		switch work := work.(type) {
		case *executor.Native:
			if len(work.Frames) != c.frames || !work.Waits {
				t.Errorf("%d frames, want %d; waits %v", len(work.Frames), c.frames, work.Waits)
			}
		case *executor.Function:
			if c.frames != 0 || !work.Waits {
				t.Errorf("calls through Go, want %d frames; waits %v", c.frames, work.Waits)
			}
		}
	}
}
