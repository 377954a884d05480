package searching

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/invocations"
)

// parsed returns the flags of a command line.
func parsed(t *testing.T, args ...string) *Flags {
	t.Helper()
	p := program.Program{Runtimes: runtimes.All(), Formats: report.Formats()}
	f := NewFlags(p)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

// The values of each axis go where its name says. The first values are the default.
func TestPoints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.c")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := parsed(t, file, "--function", "f", "--cflags", "-g", "--try", "D.T=4,8", "--try", "n=1,2",
		"--try", "compile-flags=-x").points()
	if err != nil || len(list) != 4 {
		t.Fatalf("%d points, %v", len(list), err)
	}
	first, last := list[0], list[3]
	if first.Name != "f/n=1/compile-flags=-x/D.T=4" || !reflect.DeepEqual(first.Point, []int{0, 0, 0, 0}) {
		t.Errorf("%s at %v", first.Name, first.Point)
	}
	options := map[string]string{"cflags": "-g -DT=8", "compile-flags": "-x"}
	if last.Function != "f" || !reflect.DeepEqual(last.Artifact.Options, options) || last.Parameters["n"] != "2" ||
		!reflect.DeepEqual(last.Point, []int{0, 1, 0, 1}) {
		t.Errorf("%+v", last)
	}
	list, err = parsed(t, file, "--try", "D.T=4", "--try", "function=f,g", "--try", "cflags=-O2,-O3").points()
	if err != nil || len(list) != 4 || list[2].Function != "g" || list[1].Artifact.Options["cflags"] != "-O3 -DT=4" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestRefusedAxes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.c")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = strings.Repeat("1", i+1)
	}
	values := strings.Join(many, ",")
	for _, c := range []struct {
		axes []string
		want string
	}{
		{[]string{"D.=1"}, "want the name of a macro behind D."},
		{[]string{"a=" + values, "b=" + values}, "more than 100000 variants"},
	} {
		args := []string{file}
		for _, a := range c.axes {
			args = append(args, "--try", a)
		}
		if _, err := parsed(t, args...).points(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %q", c.axes, err, c.want)
		}
	}
}

// What a user must write to get the best differs from the default only.
func TestSettings(t *testing.T) {
	entry := func(function string, options, parameters map[string]string) (p plan.Entry) {
		p.Invocation.Function, p.Invocation.Parameters = function, parameters
		p.Invocation.Artifact = invocations.Artifact{Path: "k.c", Options: options}
		return p
	}
	s := &searcher{candidates: []plan.Entry{
		entry("f", map[string]string{"cflags": "-O2", "cc": "gcc"}, map[string]string{"n": "1", "m": "1"}),
		entry("g", map[string]string{"cflags": "-O3 -DT=8", "cc": "gcc"}, map[string]string{"n": "2", "m": "1"}),
	}}
	s.found.standard, s.found.best = 0, 1
	if got, want := s.settings(), "--function g --cflags '-O3 -DT=8' --param n=2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s.found.best = 0; s.settings() != "" {
		t.Errorf("the default: %s", s.settings())
	}
}
