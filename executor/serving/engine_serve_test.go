package serving

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// shelf is a runtime whose programs note when they are closed.
type shelf struct {
	closed *[]string
	fails  bool // to close
}

func (shelf) Name() string { return "shelf" }

func (shelf) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	return []invocations.Description{{Artifact: invocations.Artifact{Path: path, Options: o.Options}}}, nil
}

func (s shelf) Load(a invocations.Artifact) (executor.Program, error) { return book{s, a.Path}, nil }

type book struct {
	shelf
	path string
}

func (b book) Prepare(*invocations.Invocation, int64) (*executor.Call, error) {
	return &executor.Call{Work: &executor.Function{Invoke: func() error { return nil }}}, nil
}

func (b book) Close() error {
	*b.closed = append(*b.closed, b.path)
	if b.fails {
		return errors.New("it is stuck")
	}
	return nil
}

// Options that the row of a runtime does not declare are refused for every runtime, also by those that do not look:
// they used to become part of the id.
func TestUndeclaredOptionsAreRefused(t *testing.T) {
	known := map[string][]invocations.Option{"shelf": {{Name: "height"}}, "go": nil}
	p := serveBy(t, &Server{Runtimes: []executor.Runtime{shelf{}}, Options: known})
	for _, c := range []struct {
		given map[string]string
		want  string // in the error
	}{
		{nil, ""},
		{map[string]string{"height": "3"}, ""},
		{map[string]string{"heigth": "3"}, `the runtime shelf has no option "heigth"; did you mean "height"?`},
		{map[string]string{"height": "3", "device": "x"}, `the runtime shelf has no option "device"`},
	} {
		d := p.ask(&wire.Describe{Runtime: "shelf", Path: "a", Options: c.given}).(*wire.Described)
		if (d.Error == "") != (c.want == "") || !strings.Contains(d.Error, c.want) || (len(d.Descriptions) == 1) != (c.want == "") {
			t.Errorf("%v: %q, %d descriptions", c.given, d.Error, len(d.Descriptions))
		}
	}
	p.ask(&wire.Goodbye{})
}

// What comes with options of its own, such as an invocation of another version's journal, is refused as well, whatever
// is asked.
func TestUndeclaredOptionsOfArtifactsAreRefused(t *testing.T) {
	known := map[string][]invocations.Option{"shelf": {{Name: "height"}}}
	for _, tool := range []executor.ToolStarter{nil, noTool} {
		s := &Server{Runtimes: []executor.Runtime{shelf{closed: new([]string)}}, Options: known, Tool: tool}
		p := serveBy(t, s)
		for _, option := range []string{"height", "heigth"} {
			a := invocations.Artifact{Path: "a", Options: map[string]string{option: "3"}}
			r := p.ask(&wire.Execute{
				Invocation: invocations.Invocation{Runtime: "shelf", Artifact: a, Measure: invocations.Measure{CheckOnly: true}},
				TraceCalls: 1,
			}).(*wire.Result)
			refused := strings.Contains(r.Error, `a: the runtime shelf has no option "heigth"`)
			if refused != (option == "heigth") || refused && r.Status != invocations.Failed {
				t.Errorf("execute with %s: %s, %s", option, r.Status, r.Error)
			}
			b := p.ask(&wire.Build{Runtime: "shelf", Artifact: a}).(*wire.Built)
			if refused := strings.Contains(b.Error, "has no option"); refused != (option == "heigth") {
				t.Errorf("build with %s: %s", option, b.Error)
			}
		}
		p.ask(&wire.Goodbye{})
	}
}

func noTool(context.Context, string, string, ...string) (*executor.Tool, error) {
	return nil, errors.New("there is none")
}

// The program that was loaded first makes room, and an error of closing it names its file: it used to be any of them,
// and a NUL.
func TestOldestProgramMakesRoom(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var closed []string
		s := &Server{programs: map[string]*program{}, Runtimes: []executor.Runtime{shelf{&closed, fails}}}
		load := func(n int) (*program, error) {
			return s.load(&invocations.Invocation{Runtime: "shelf", Artifact: invocations.Artifact{Path: fmt.Sprint("file", n)}})
		}
		for n := range maxPrograms {
			p, err := load(n)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				p.used = 1
			}
		}
		for n := range 3 {
			_, err := load(maxPrograms + n)
			if (err != nil) != fails {
				t.Fatal(err)
			}
			if fails && (strings.Contains(err.Error(), "\x00") || !strings.Contains(err.Error(), fmt.Sprintf("close file%d", n+1))) {
				t.Errorf("%q", err)
			}
			if want := fmt.Sprint("file", n+1); len(closed) != n+1 || closed[n] != want {
				t.Fatalf("closed %v, want %s in the end", closed, want)
			}
			if fails {
				break
			}
		}
	}
}
