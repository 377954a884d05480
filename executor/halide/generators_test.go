package halide

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
)

// Weights have one option, with an absolute path, however they were named.
func TestCompleteGenerator(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("own.weights", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(folder, "own.weights")
	for _, c := range []struct {
		given, want map[string]string
		err         string
	}{
		{map[string]string{OptionScheduler: "none"}, map[string]string{OptionScheduler: "none"}, ""},
		{map[string]string{OptionWeights: "own.weights"}, map[string]string{OptionWeights: own}, ""},
		{
			map[string]string{OptionSchedulerParams: "beam_size=1 weights_path=own.weights parallelism=2"},
			map[string]string{OptionSchedulerParams: "beam_size=1 parallelism=2", OptionWeights: own}, "",
		},
		{map[string]string{OptionWeights: "none.weights"}, nil, "--weights: stat none.weights: "},
		{map[string]string{OptionSchedulerParams: "weights_path=none.weights"}, nil,
			"--weights_path: stat none.weights: "},
		{map[string]string{OptionSchedulerParams: "weights_path=a", OptionWeights: "b"}, nil, "both name weights"},
	} {
		inv := invocations.Invocation{Artifact: invocations.Artifact{Options: c.given}}
		err := CompleteGenerator(&inv)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: error %v, want %s", c.given, err, c.err)
			}
		case err != nil || !maps.Equal(inv.Artifact.Options, c.want):
			t.Errorf("%v: %v, want %v, error %v", c.given, inv.Artifact.Options, c.want, err)
		}
	}
}

// A generator is built once more for the profiler, unless its pipelines have it.
func TestForProfile(t *testing.T) {
	for _, c := range []struct {
		path, target, build string
		want                string // the target of the other build; empty: there is none
	}{
		{"a.py", "", "", "host-profile"},
		{"a.cpp", "host-no_asserts", "", "host-no_asserts-profile"},
		{"a.py", "x86-64-linux-profile", "", ""},
		{"a.py", "", "other.so", ""},
		{"a.so", "", "", ""},
	} {
		inv := invocations.Invocation{Artifact: invocations.Artifact{Path: c.path}}
		inv.SetOption(OptionTarget, c.target)
		inv.SetOption(OptionProfileBuild, c.build)
		a, needed := ForProfile(inv.Artifact)
		if needed != (c.want != "") || needed && a.Options[OptionTarget] != c.want ||
			inv.Artifact.Options[OptionTarget] != c.target {
			t.Errorf("%+v: %v, %v", c, a.Options, needed)
		}
	}
}

func TestAssignments(t *testing.T) {
	got, err := Assignments("params", " a=1  b=x=y c= ")
	if want := map[string]string{"a": "1", "b": "x=y", "c": ""}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, error %v", got, err)
	}
	for text, want := range map[string]string{"a": `option params: "a": want NAME=VALUE`, "=1": "want NAME=VALUE",
		"a=1 a=2": "a is given twice"} {
		if _, err := Assignments("params", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
