package runtimes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
	"zonemark/invocations"
	"zonemark/invocations/environ"
)

// A row is named as its runtime is, no name stands twice, and each row has what it must have. An option that two rows
// have is one flag, of one kind.
func TestRows(t *testing.T) {
	var names, options []string
	for _, row := range All() {
		if row.New == nil || row.Recognizes == nil || (row.Pattern == "") != row.Internal {
			t.Errorf("%s lacks something", row.Name)
			continue
		}
		if name := row.New(environ.Variables{}.Lookup).Name(); name != row.Name {
			t.Errorf("the row %s has the runtime %s", row.Name, name)
		}
		names = append(names, row.Name)
	}
	for _, o := range All().Options() {
		options = append(options, o.Name)
		if o.Repeatable != "" {
			options = append(options, o.Repeatable)
		}
		if o.Usage == "" || o.Placeholder == "" {
			t.Errorf("option %s: no help", o.Name)
		}
	}
	for _, list := range [][]string{names, options} {
		slices.Sort(list)
		if unique := slices.Compact(slices.Clone(list)); len(unique) != len(list) {
			t.Errorf("a name stands twice in %q", list)
		}
	}
}

// The options of a runtime are flags and keys of suites in an order that users know.
func TestOptionsInOrder(t *testing.T) {
	var names []string
	for _, o := range All().Options() {
		names = append(names, o.Name)
	}
	want := "provider device task-threads compile-flags parameter-files module dims plugin transfers resident-inputs chips " +
		"compile-options compile-options-file compile-cache simulator cycle-limit l1 profile-build " +
		"target scheduler scheduler-params weights generator generator-params source cflags " +
		"prototype header init cc prepare setup shell stdout ignore-failure"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestChoose(t *testing.T) {
	const profiler, recorder, tracy = 1, 2, 4
	for _, c := range []struct {
		wish Wish
		// want is the pass for each combination of profiler, recorder and tracy.
		want [8]Pass
	}{
		{Wish{Source: SourceAuto}, [8]Pass{
			NoPass, InExecutor, Recorded, InExecutor, Captured, InExecutor, Captured, InExecutor}},
		{Wish{Source: SourceAuto, EachCall: true}, [8]Pass{
			NoPass, InExecutor, Recorded, InExecutor, Captured, Captured, Captured, Captured}},
		{Wish{Source: SourceProfile}, [8]Pass{
			NoPass, InExecutor, Recorded, InExecutor, NoPass, InExecutor, Recorded, InExecutor}},
		{Wish{Source: SourceProfile, EachCall: true}, [8]Pass{
			NoPass, InExecutor, Recorded, InExecutor, NoPass, InExecutor, Recorded, InExecutor}},
		{Wish{Source: SourceTracy}, [8]Pass{
			NoPass, NoPass, NoPass, NoPass, Captured, Captured, Captured, Captured}},
		{Wish{Source: SourceTracy, EachCall: true}, [8]Pass{
			NoPass, NoPass, NoPass, NoPass, Captured, Captured, Captured, Captured}},
		{Wish{Source: SourceOff}, [8]Pass{}},
		{Wish{Source: SourceOff, EachCall: true}, [8]Pass{}},
	} {
		for bits, want := range c.want {
			s := Support{Profiler: bits&profiler != 0, Recorder: bits&recorder != 0, Tracy: bits&tracy != 0}
			if got := c.wish.Choose(s); got != want {
				t.Errorf("%+v of %+v: %v, want %v", c.wish, s, got, want)
			}
		}
	}
}

// A tool of the runtime sees more of a device than a capture.
func TestChooseForDevice(t *testing.T) {
	both := Support{Recorder: true, Tracy: true, Device: "vulkan"}
	for _, c := range []struct {
		wish Wish
		s    Support
		want Pass
	}{
		{Wish{Source: SourceAuto}, both, Recorded},
		{Wish{Source: SourceAuto, EachCall: true}, both, Recorded},
		{Wish{Source: SourceProfile}, both, Recorded},
		{Wish{Source: SourceTracy}, both, Captured},
		{Wish{Source: SourceAuto}, Support{Tracy: true, Device: "cuda"}, Captured},
	} {
		if got := c.wish.Choose(c.s); got != c.want {
			t.Errorf("%+v of %+v: %v, want %v", c.wish, c.s, got, c.want)
		}
	}
}

// The message for when nothing can be timed comes from the rows.
func TestUnserved(t *testing.T) {
	two := append(All(), Row{Name: "abacus", Dispatches: &Dispatches{Artifacts: "abacuses", Remedy: "count them"}})
	for _, c := range []struct {
		table Table
		wish  Wish
		want  string
	}{
		{All(), Wish{Source: SourceAuto}, ""},
		{All(), Wish{Source: SourceOff, EachCall: true}, ""},
		{All(), Wish{Source: SourceAuto, EachCall: true},
			`-d: nothing of this has dispatches that can be timed here: ` +
				`only IREE modules and Halide pipelines issue some; "zonemark setup iree" brings what times them; ` +
				`--profile-build names a build of Halide pipelines that has the target feature profile; ` +
				`leave out -d`},
		{two, Wish{Source: SourceAuto, EachCall: true}, `-d: nothing of this has dispatches that can be timed here: ` +
			`only IREE modules, Halide pipelines and abacuses issue some; "zonemark setup iree" brings what times ` +
			`them; --profile-build names a build of Halide pipelines that has the target feature profile; count them; ` +
			`leave out -d`},
		{All(), Wish{Source: SourceProfile}, `--dispatches profile: nothing of this has a runtime with a profiler; ` +
			`for IREE modules, "zonemark setup iree" and "zonemark setup iree-capi" bring one each; ` +
			`for Halide pipelines, --profile-build names a build that has the target feature profile`},
		{Table{}, Wish{Source: SourceProfile}, `--dispatches profile: nothing of this has a runtime with a profiler`},
		{two, Wish{Source: SourceTracy}, `nothing of this can be traced: only IREE modules have dispatches with a ` +
			`Tracy client, run by the wheels and a shared libpython; leave out -t, -d and --dispatches tracy`},
	} {
		got := ""
		if err := c.table.Unserved(c.wish); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %s\nwant %s", c.wish, got, c.want)
		}
	}
}

// The sources of an invocation depend on the environment of its executor, and not on that of this process.
func TestPass(t *testing.T) {
	capi, tools := setup.CAPIVariable+"=/c", setup.ToolsVariable+"=/t"
	wheels := []string{tools, setup.SiteVariable + "=/s", setup.LibPythonVariable + "=/l"}
	for _, c := range []struct {
		runtime, provider string
		variables         environ.Variables
		want              Pass
	}{
		{iree.Name, "", environ.Of(), NoPass},
		{iree.Name, "", environ.Of(capi), InExecutor},
		{iree.Name, iree.ProviderPython, environ.Of(capi, tools), Recorded},
		{iree.Name, "", environ.Of(wheels...), Captured},
		{iree.Name, iree.ProviderDispatch, environ.Of(wheels...).With(capi), NoPass},
		{tt.Name, "", environ.Of(), InExecutor},
		{"hat", "", environ.Of(wheels...), NoPass},
		{"nothing", "", environ.Of(wheels...), NoPass},
	} {
		inv := &invocations.Invocation{Runtime: c.runtime}
		if c.provider != "" {
			inv.SetOption(iree.OptionProvider, c.provider)
		}
		if got := All().Pass(Wish{Source: SourceAuto}, inv, c.variables.Lookup); got != c.want {
			t.Errorf("%s %s with %q: pass %v, want %v", c.runtime, c.provider, c.variables.Entries(), got, c.want)
		}
	}
}

// Each runtime is asked once, for its own invocations, and sees what the runtimes before it have provided.
func TestProvide(t *testing.T) {
	failure := errors.New("no luck")
	table := Table{
		{Name: "first", Provide: func(_ context.Context, r Request) ([]string, error) {
			if len(r.Invocations) != 2 || !r.Setup.FindOnly {
				t.Errorf("%+v", r)
			}
			r.Invocations[1].SetOption("completed", "yes")
			return []string{"FIRST=1"}, nil
		}},
		{Name: "unused", Provide: func(context.Context, Request) ([]string, error) {
			t.Error("it was asked without an invocation")
			return nil, nil
		}},
		{Name: "second", Provide: func(_ context.Context, r Request) ([]string, error) {
			return []string{"SECOND=after " + r.Setup.Variables.Lookup("FIRST")}, nil
		}},
		{Name: "failing", Provide: func(context.Context, Request) ([]string, error) { return nil, failure }},
	}
	list := []invocations.Invocation{{Runtime: "first"}, {Runtime: "second"}, {Runtime: "hat"}, {Runtime: "first"}}
	o := setup.Options{Variables: environ.Of("OWN=0"), FindOnly: true}
	v, err := table.Provide(t.Context(), o, list)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"OWN=0", "FIRST=1", "SECOND=after 1"}
	if !slices.Equal(v.Entries(), want) || list[3].Artifact.Options["completed"] != "yes" {
		t.Errorf("%q and %+v", v.Entries(), list)
	}
	list = []invocations.Invocation{{Runtime: "failing"}}
	if _, err := table.Provide(t.Context(), o, list); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
}

// Plugins, simulators and files of options are checked before anything runs, and get absolute paths.
func TestProvideFiles(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("library.so", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		runtime, option, value, variable string
		want                             string // of the error; empty: the option becomes absolute
	}{
		{"tt", "plugin", "./library.so", "", ""},
		{"tt", "plugin", "", "ZONEMARK_PJRT_PLUGIN=./library.so", ""},
		{"tt", "plugin", "./none.so", "", "--plugin ./none.so: there is no such file; name a PJRT plugin by its " +
			"path, or one of tt and cpu"},
		{"tt", "plugin", ".", "", "--plugin .: a folder; name the file in it: a PJRT plugin by its path"},
		{"tt", "compile-options-file", "none.pb", "", "--compile-options-file none.pb: there is no such file; name "},
		{"ttsim", "simulator", "./library.so", "", ""},
		{"ttsim", "simulator", "", "TT_METAL_SIMULATOR=./library.so", ""},
		{"ttsim", "simulator", "", "TT_METAL_SIMULATOR=none", "$TT_METAL_SIMULATOR none: there is no such file; name " +
			"Tenstorrent's libttsim.so"},
		{"ttsim", "simulator", ".", "", "--simulator .: a folder; name the file in it: Tenstorrent's libttsim.so"},
	} {
		list := []invocations.Invocation{{Runtime: c.runtime}}
		if c.value != "" {
			list[0].SetOption(c.option, c.value)
		}
		o := setup.Options{Home: folder}
		if c.variable != "" {
			o.Variables = environ.Of(c.variable)
		}
		_, err := All().Provide(t.Context(), o, list)
		if c.want != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%+v: error %v", c, err)
			}
			continue
		}
		if got := list[0].Artifact.Options[c.option]; err != nil || got != filepath.Join(folder, "library.so") {
			t.Errorf("%+v: %s, error %v", c, got, err)
		}
	}
}

// Of the files in the folder of new programs, only complete ones are kept.
func TestKeep(t *testing.T) {
	scratch, cache := t.TempDir(), t.TempDir()
	folders := Folders{Scratch: scratch, Cache: func(name string) (string, error) {
		path := filepath.Join(cache, name)
		return path, os.MkdirAll(path, 0o755)
	}}
	v, take, err := All().Keep(folders, environ.Of("A=1"), "hat", tt.Name)
	if err != nil {
		t.Fatal(err)
	}
	fresh := v.Lookup(tt.CompiledFreshVariable)
	if v.Lookup(tt.CompiledVariable) != filepath.Join(cache, "built", "pjrt") || filepath.Dir(fresh) != scratch ||
		v.Lookup("A") != "1" {
		t.Fatalf("%q", v.Entries())
	}
	if err := os.WriteFile(filepath.Join(fresh, strings.Repeat("ab", 32)+".executable"), []byte("cut off"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := take(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Join(cache, "built", "pjrt")); err != nil || len(left) != 0 {
		t.Errorf("kept %v, error %v", left, err)
	}
}

// An option of several runtimes has one flag with the help of all, and means one kind of value.
func TestSharedOptions(t *testing.T) {
	merged := map[string]invocations.Option{}
	for _, o := range All().Options() {
		merged[o.Name] = o
	}
	for _, row := range All() {
		for _, o := range row.Options {
			m := merged[o.Name]
			if m.Kind != o.Kind || m.Placeholder != o.Placeholder || m.Repeatable != o.Repeatable ||
				!strings.Contains(m.Usage, o.Usage) {
				t.Errorf("the option %s of %s is %+v, and the flag %+v", o.Name, row.Name, o, m)
			}
		}
	}
}

// A folder is of every runtime that finds an artifact in it. A file is of the first that recognizes it.
func TestRecognizeAll(t *testing.T) {
	row := func(name, extension string, holds func(string) bool) Row {
		return Row{Name: name, Pattern: "*" + extension, Holds: holds, Recognizes: func(path string) bool {
			if filepath.Ext(path) == extension {
				return true
			}
			found, _ := filepath.Glob(filepath.Join(path, "*"+extension))
			return len(found) > 0
		}}
	}
	table := Table{row("one", ".a", nil), row("two", ".b", nil), row("three", ".a", nil),
		row("careful", ".b", func(string) bool { return false })}
	folder := t.TempDir()
	for _, name := range []string{"x.a", "y.b"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		folder: {"one", "two", "three"}, filepath.Join(folder, "x.a"): {"one"}, filepath.Join(folder, "y.b"): {"two"},
	} {
		got, err := table.RecognizeAll(path, nil)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, error %v, want %v", path, got, err, want)
		}
	}
	if got, err := (Table{table[3]}).RecognizeAll(folder, nil); err != nil || !slices.Equal(got, []string{"careful"}) {
		t.Errorf("alone: %v, error %v", got, err) // its own error says what is wrong
	}
	if _, err := table.RecognizeAll(filepath.Join(folder, "nowhere"), nil); err == nil {
		t.Error("nothing is recognized")
	}
	all := Table{{Name: "all", Recognizes: func(string) bool { return true }}}
	if _, err := all.RecognizeAll(os.DevNull, nil); err == nil || !strings.Contains(err.Error(), "name a file or a folder") {
		t.Errorf("a device is recognized: %v", err)
	}
}

// TestFlagsOfStrangers: what a suite or a bundle says to a compiler is checked, whichever of the runtimes with such an
// option it is for.
func TestFlagsOfStrangers(t *testing.T) {
	checked := map[string]bool{}
	for _, row := range All() {
		for _, o := range row.Options {
			checked[o.Name] = checked[o.Name] || o.Foreign != nil
		}
	}
	for _, row := range All() {
		for _, o := range row.Options {
			if checked[o.Name] && o.Foreign == nil {
				t.Errorf("the option %s of %s takes anything", o.Name, row.Name)
			}
		}
	}
	for _, o := range All().Options() {
		if checked[o.Name] && o.Foreign == nil {
			t.Errorf("the key %s takes anything", o.Name)
		}
	}
	for _, name := range []string{"cflags", "cc", "compile-flags"} {
		if !checked[name] {
			t.Errorf("nobody checks the option %s", name)
		}
	}
}
