package measureflags

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/report"
)

// A command line without flags has the settings that a caller in Go begins with.
func TestFlagsFillSettings(t *testing.T) {
	f := New("run", program.Standard(), nil)
	if _, err := f.Parse(nil, ""); err != nil {
		t.Fatal(err)
	}
	if want := measuring.DefaultSettings(); len(f.Given) > 0 || !reflect.DeepEqual(without(f.Settings), without(want)) {
		t.Errorf("without flags: %+v\nwant %+v", f.Settings, want)
	}
	f = New("run", program.Standard(), nil)
	line := []string{"--filter", "a", "--max-time", "100ms", "--via", "env", "-o", "x", "--quiet", "--dispatches", "off", "p.so"}
	paths, err := f.Parse(line, "")
	if err != nil {
		t.Fatal(err)
	}
	want := measuring.DefaultSettings()
	want.LimitTime(100 * time.Millisecond)
	want.Filter, want.Via, want.Output, want.Quiet, want.Dispatches = "a", []string{"env"}, "x", true, "off"
	if !slices.Equal(paths, []string{"p.so"}) || !reflect.DeepEqual(without(f.Settings), without(want)) {
		t.Errorf("%+v\nwant %+v", f.Settings, want)
	}
	given := slices.Sorted(maps.Keys(f.Given))
	if want := []string{"dispatches", "filter", "max-time", "output", "quiet", "via"}; !slices.Equal(given, want) {
		t.Errorf("given %q, want %q", given, want)
	}
}

// without returns settings without what only tells how they came about.
func without(s measuring.Settings) measuring.Settings {
	s.Given = nil
	return s
}

// The flags of every verb that measures belong to settings: what one sets is there without the flags.
func TestSettingsWithoutFlags(t *testing.T) {
	f := NewMaker("sweep", program.Standard(), nil)
	if err := f.ParseAlone([]string{"--cpu", "1", "--python", "p", "--sandbox-read", "/x"}, ""); err != nil {
		t.Fatal(err)
	}
	task := measuring.NewTask(program.Standard(), f.Settings)
	if task.Base.Measure.CPU != 1 || task.Python != "p" || !slices.Equal(task.SandboxRead, []string{"/x"}) || !task.Given["cpu"] {
		t.Errorf("%+v", task.Settings)
	}
}

// A verb has defaults of its own, which its flags show, and a flag of its own in the place of a shared one.
func TestOwnFlags(t *testing.T) {
	var names string
	f := NewMaker("made up", program.Standard(), func(f *Flags) {
		f.Base.Measure.MinTimeNS = int64(3 * time.Millisecond)
		f.Set.StringVar(&names, "runtime", "first", "several")
	})
	if err := f.ParseAlone([]string{"--runtime", "a,b", "--seed", "7"}, ""); err != nil {
		t.Fatal(err)
	}
	if names != "a,b" || f.Base.Runtime != "" || !f.Given["runtime"] || f.Base.Measure.Seed != 7 {
		t.Errorf("--runtime %q, and %q of the shared flag; %+v", names, f.Base.Runtime, f.Given)
	}
	if shown := f.Set.Lookup("min-time").DefValue; shown != "3ms" {
		t.Errorf("--min-time shows the default %s", shown)
	}
}

// TestRaceFlags: what contradicts a race is refused.
func TestRaceFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--top 0":                                "--top: want 1 or more",
		"--top 2 --race off":                     "leave out --race off, or --top",
		"--race on --launches 2":                 "a race needs 3 at least",
		"--race on --spread --via a --via b":     "leave out one of them",
		"--race on --check":                      "not a fixed number of calls",
		"--race maybe":                           "want one of auto, on, off",
		"--race off --launches 1":                "",
		"--race auto --launches 1 --group":       "",
		"--race on --launches 3 --group --top 2": "",
	} {
		f := New("run", program.Program{Formats: report.Formats()}, nil)
		_, err := f.Parse(strings.Fields(args), "")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
