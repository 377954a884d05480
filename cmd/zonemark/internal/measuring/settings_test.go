package measuring

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/program"
)

// A command line without flags has the settings that a caller in Go begins with.
func TestFlagsFillSettings(t *testing.T) {
	f := NewFlags("run", program.Standard(), nil)
	if _, err := f.Parse(nil, ""); err != nil {
		t.Fatal(err)
	}
	if want := DefaultSettings(); len(f.Given) > 0 || !reflect.DeepEqual(without(f.Settings), without(want)) {
		t.Errorf("without flags: %+v\nwant %+v", f.Settings, want)
	}
	f = NewFlags("run", program.Standard(), nil)
	line := []string{"--filter", "a", "--max-time", "100ms", "--via", "env", "-o", "x", "--quiet", "--dispatches", "off", "p.so"}
	paths, err := f.Parse(line, "")
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings()
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
func without(s Settings) Settings {
	s.Given = nil
	return s
}

// A longer time of a launch gives its executor more time, and a shorter one takes none.
func TestLimitTime(t *testing.T) {
	for _, c := range []struct{ most, least, timeout time.Duration }{
		{10 * time.Millisecond, 10 * time.Millisecond, defaultTimeout},
		{10 * time.Second, defaultMinTime, defaultTimeout},
		{time.Minute, defaultMinTime, 2*time.Minute + defaultTimeout},
	} {
		s := DefaultSettings()
		s.LimitTime(c.most)
		m := s.Base.Measure
		if m.MaxTimeNS != int64(c.most) || m.MinTimeNS != int64(c.least) || s.Base.Limits.TimeoutNS != int64(c.timeout) {
			t.Errorf("%v: %+v, %+v", c.most, m, s.Base.Limits)
		}
	}
}

// The flags of every verb that measures belong to settings: what one sets is there without the flags.
func TestSettingsWithoutFlags(t *testing.T) {
	f := NewMakerFlags("sweep", program.Standard(), nil)
	if err := f.ParseAlone([]string{"--cpu", "1", "--python", "p", "--sandbox-read", "/x"}, ""); err != nil {
		t.Fatal(err)
	}
	task := NewTask(program.Standard(), f.Settings)
	if task.Base.Measure.CPU != 1 || task.Python != "p" || !slices.Equal(task.SandboxRead, []string{"/x"}) || !task.Given["cpu"] {
		t.Errorf("%+v", task.Settings)
	}
}

// A verb has defaults of its own, which its flags show, and a flag of its own in the place of a shared one.
func TestOwnFlags(t *testing.T) {
	var names string
	f := NewMakerFlags("made up", program.Standard(), func(f *Flags) {
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
