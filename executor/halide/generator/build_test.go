package generator

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor/toolchain"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// installed returns the installed Halide.
func installed(t *testing.T) Toolchain {
	t.Helper()
	setuptest.Halide(t)
	found, err := Find(t.Context(), setuptest.Getenv, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// precompiled returns the installed Halide with a C++ compiler that has read Halide's header before, which takes most of
// the time of compiling a generator. What it has read stays in the cache that all tests of a user share.
func precompiled(t *testing.T) Toolchain {
	t.Helper()
	tools := installed(t)
	cxx, err := tools.findCXX(t.Context())
	testneeds.Missing(t, err)
	k := &toolchain.Key{}
	k.Add(cxx.Version, strings.Join(cxx.Command, " "), tools.Version)
	k.Add(tools.cxxFlags()...)
	const name = "pre.h"
	folder, err := cached(testneeds.Cache(t, "precompiled"), *k, []string{name + ".gch"}, func(folder string) error {
		header := filepath.Join(folder, name)
		if err := os.WriteFile(header, []byte("#include <Halide.h>\n"), 0o644); err != nil {
			return err
		}
		args := slices.Concat(cxx.Command[1:], tools.cxxFlags(), []string{"-x", "c++-header", header, "-o", header + ".gch"})
		out, err := exec.Command(cxx.Command[0], args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	getenv := tools.getenv
	tools.getenv = func(variable string) string {
		if variable == cxxVariable {
			return strings.Join(cxx.Command, " ") + " -include " + filepath.Join(folder, name)
		}
		return getenv(variable)
	}
	return tools
}

// cacheWithRuntimes returns a cache of the test's own that holds Halide's runtimes for targets, which take longer to make
// than pipelines. They stay in the cache that all tests of a user share. TestLibrary makes one.
func cacheWithRuntimes(t *testing.T, tools Toolchain, targets ...string) string {
	t.Helper()
	cache := t.TempDir()
	for _, target := range targets {
		object, err := tools.Runtime(t.Context(), target, testneeds.Cache(t, "runtimes"))
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(object)
		if err := os.CopyFS(filepath.Join(cache, cacheFolder, filepath.Base(folder)), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	return cache
}

// sourceOf copies the sources of testdata into a folder of the test's own and returns the path of one.
func sourceOf(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "Größe 1") // as folders of users are named
	if err := os.CopyFS(folder, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, name)
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s holds no %q, error %v", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A Python file's generators become one library with Halide's runtime, which is found again in the cache until one of
// the files changes that it is made of.
func TestLibrary(t *testing.T) {
	tools, cache := installed(t), t.TempDir()
	source := sourceOf(t, "pipelines.py")
	build := func() string {
		t.Helper()
		out, err := tools.Build(t.Context(), Request{Source: source, Outputs: Outputs{Library: true}}, cache)
		if err != nil {
			t.Fatal(err)
		}
		if out.Target != tools.Host || out.Scheduler != Manual || len(out.Pipelines) != 2 ||
			out.Pipelines[1].Generator != "bare" || out.Pipelines[1].Function != "bare" {
			t.Errorf("%+v", out)
		}
		return out.Library
	}
	first := build()
	if runtime.GOOS == "linux" {
		f, err := elf.Open(first)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		symbols, err := f.DynamicSymbols()
		for _, want := range []string{"twice_metadata", "bare_argv", "halide_malloc", "halide_set_num_threads"} {
			if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == want && s.Section != elf.SHN_UNDEF }) {
				t.Errorf("no symbol %s, error %v", want, err)
			}
		}
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	if again := build(); again != first {
		t.Errorf("the same sources gave %s and %s", first, again)
	}
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) {
		t.Errorf("the library was made again, error %v", err)
	}
	edit(t, filepath.Join(filepath.Dir(source), "offsets.py"), "1", "2")
	if changed := build(); changed == first {
		t.Error("an imported file was changed, and the library is the same")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(source), "__pycache__")); err == nil {
		t.Error("Python has written beside the source")
	}
	left, err := filepath.Glob(filepath.Join(cache, cacheFolder, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("unfinished folders are left: %v, error %v", left, err)
	}
}

// The parameters of an autoscheduler count, and everything that is asked for is made.
func TestAutoscheduler(t *testing.T) {
	tools, cache := installed(t), t.TempDir()
	r := Request{
		Source:          sourceOf(t, "pipelines.py"),
		Generators:      []string{"twice"},
		Function:        "sample_7",
		Scheduler:       "adams2019",
		SchedulerParams: map[string]string{"beam_size": "1", "parallelism": "3"},
		GeneratorParams: map[string]string{"size": "4096"},
		Outputs: Outputs{Object: true, Schedule: true, Featurization: true, Statements: true,
			Assembly: true},
	}
	schedule := func(r Request) string {
		t.Helper()
		out, err := tools.Build(t.Context(), r, cache)
		if err != nil {
			t.Fatal(err)
		}
		p := out.Pipelines[0]
		const features = 4 * 326 // bytes of a stage
		if info, err := os.Stat(p.Featurization); err != nil || info.Size() == 0 || info.Size()%features != 0 {
			t.Errorf("featurization %v, error %v", info, err)
		}
		if !strings.Contains(contents(t, p.Assembly), "sample_7_argv") || contents(t, p.Object) == "" {
			t.Errorf("assembly or object of another function")
		}
		return contents(t, p.Schedule)
	}
	three := schedule(r)
	if !strings.Contains(three, "apply_schedule_sample_7") || !strings.Contains(three, ".parallel(") {
		t.Errorf("schedule:\n%s", three)
	}
	r.SchedulerParams = map[string]string{"beam_size": "1", "parallelism": "1"}
	if one := schedule(r); one == three {
		t.Error("the parallelism makes no difference")
	}
	// Weights count by their contents, and the plugin reads the file.
	r.Outputs = Outputs{Schedule: true}
	made := map[string]bool{}
	for _, name := range []string{"a.weights", "b.weights"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, weightsOf(0.5), 0o644); err != nil {
			t.Fatal(err)
		}
		r.SchedulerParams = map[string]string{"weights_path": path}
		out, err := tools.Build(t.Context(), r, cache)
		if err != nil {
			t.Fatal(err)
		}
		made[out.Pipelines[0].Schedule] = true
		if text := contents(t, out.Pipelines[0].Schedule); !strings.Contains(text, "a.weights") {
			t.Errorf("the schedule does not tell its weights:\n%s", text)
		}
	}
	if len(made) != 1 {
		t.Errorf("the same weights in two files: %v", made)
	}
	for _, name := range []string{"mullapudi2016", "li2018"} {
		r := Request{Source: r.Source, Generators: r.Generators, Scheduler: name, Outputs: Outputs{Schedule: true}}
		out, err := tools.Build(t.Context(), r, cache)
		if err != nil || out.SchedulerParams["parallelism"] == "" {
			t.Fatalf("%s: %+v, error %v", name, out, err)
		}
		if text := contents(t, out.Pipelines[0].Schedule); !strings.Contains(text, ".vectorize(") {
			t.Errorf("%s: schedule:\n%s", name, text)
		}
	}
}

// Without an autoscheduler, a generator has its own schedule, or none. It is the same in both languages. In the large
// size, the C++ compiler reads Halide's header as it does for users.
func TestUnscheduled(t *testing.T) {
	tools, cache := installed(t), t.TempDir()
	for _, name := range []string{"pipelines.py", "pipelines.cpp"} {
		if _, err := exec.LookPath("c++"); err != nil && isCPlusPlus(name) {
			testneeds.Missing(t, fmt.Errorf("a C++ generator needs a C++ compiler: %w", err))
		}
		if isCPlusPlus(name) && !testsize.Large() {
			tools = precompiled(t)
		}
		source := sourceOf(t, name)
		list, err := tools.Generators(t.Context(), source, cache)
		if err != nil || len(list) == 0 || list[0].Name != "twice" {
			t.Fatalf("%s: %+v, error %v", name, list, err)
		}
		if want := []Parameter{{"size", "64"}, {"wide", "true"}}; isPython(name) &&
			!slices.Equal(list[0].Parameters, want) {
			t.Errorf("%s: parameters %+v, want %+v", name, list[0].Parameters, want)
		}
		for scheduler, computed := range map[string]bool{"": true, Manual: true, None: false} {
			r := Request{
				Source:     source,
				Generators: []string{"twice"},
				Scheduler:  scheduler,
				Profile:    true,
				Outputs:    Outputs{Statements: true},
			}
			out, err := tools.Build(t.Context(), r, cache)
			if err != nil {
				t.Fatal(err)
			}
			text := contents(t, out.Pipelines[0].Statements)
			if strings.Contains(text, "produce doubled") != computed || !strings.HasSuffix(out.Target, "-profile") {
				t.Errorf("%s, scheduler %q, target %s:\n%s", name, scheduler, out.Target, text)
			}
		}
		if isCPlusPlus(name) {
			checkCPlusPlusErrors(t, tools, source, cache)
		}
	}
}

// Errors name what is wrong and what to do.
func TestBuildErrors(t *testing.T) {
	tools, cache := installed(t), t.TempDir()
	source := sourceOf(t, "pipelines.py")
	file := func(name, text string) string {
		path := filepath.Join(filepath.Dir(source), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	object := Outputs{Object: true}
	for _, test := range []struct {
		name string
		r    Request
		want []string
	}{
		{"generator", Request{Generators: []string{"twise"}}, []string{`no generator "twise"; did you mean "twice"?`,
			"it has twice, bare"}},
		{"generator parameter", Request{Generators: []string{"twice"}, GeneratorParams: map[string]string{"sise": "3"}},
			[]string{`generator twice: it has no parameter "sise"; did you mean "size"?`, "it has size, wide"}},
		{"estimates", Request{Generators: []string{"bare"}, Scheduler: "adams2019"},
			[]string{"generator bare: scheduler adams2019 needs estimates", `"dst"`, "set_estimates in the generator, or choose scheduler none or manual"}},
		{"estimates", Request{Generators: []string{"bare"}, Scheduler: "mullapudi2016"},
			[]string{"generator bare: scheduler mullapudi2016 needs estimates", `"dst"`}},
		{"weights", Request{Generators: []string{"twice"}, Scheduler: "adams2019",
			SchedulerParams: map[string]string{"weights_path": filepath.Join(cache, "none.weights")}},
			[]string{"scheduler adams2019: weights_path: ", "none.weights: no such file"}},
		{"weights", Request{Generators: []string{"twice"}, Scheduler: "adams2019",
			SchedulerParams: map[string]string{"weights_path": file("cut.weights", string(weightsOf(1)[:100]))}},
			[]string{"cut.weights: not a file of weights: buffer 0 at byte 16"}},
		{"no GPU", Request{Generators: []string{"twice"}, Scheduler: "anderson2021"},
			[]string{"scheduler anderson2021 makes schedules for GPUs only"}},
		{"target", Request{Generators: []string{"twice"}, Target: "host-avx9"},
			[]string{`does not know the target`, `no word "avx9"; did you mean "avx`}},
		{"names", Request{Function: "f"}, []string{`"f" cannot be that of 2 generators (twice, bare)`}},
		{"exception", Request{Source: file("raises.py", "def f():\n    raise ValueError('no luck')\n\n\nf()\n")},
			[]string{"ValueError: no luck\n", "raises.py(2): f\n", "raises.py(5): <module>"}},
		{"syntax", Request{Source: file("syntax.py", "import halide as hl\nx ==\n")},
			[]string{"SyntaxError: invalid syntax", "syntax.py(2)"}},
		{"import", Request{Source: file("import.py", "import nothing_such\n")},
			[]string{"ModuleNotFoundError: No module named 'nothing_such'", "import.py(1)"}},
		{"empty", Request{Source: file("empty.py", "import halide as hl\n")}, []string{"it has no generator"}},
		{"exit", Request{Source: file("exit.py", "import os\nos._exit(0)\n")}, []string{"must not end Python"}},
		{"suffix", Request{Source: file("a.txt", "")}, []string{"not a generator's source"}},
		{"gone", Request{Source: filepath.Join(cache, "none.py")}, []string{"none.py: no such file"}},
	} {
		if test.r.Source == "" {
			test.r.Source = source
		}
		test.r.Outputs = object
		_, err := tools.Build(t.Context(), test.r, cache)
		for _, want := range test.want {
			if err == nil || !strings.Contains(remedy.Told(err, nil), want) {
				t.Errorf("%s: error %v\nwant %q in it", test.name, err, want)
			}
		}
	}
}

// checkCPlusPlusErrors checks that errors of a C++ generator, which is compiled already, name the parameters that there
// are, too.
func checkCPlusPlusErrors(t *testing.T, tools Toolchain, source, cache string) {
	t.Helper()
	for parameter, want := range map[string]string{
		"sise=3":     `generator twice: it has no parameter "sise"; did you mean "size"?; it has size`,
		"size=large": "Unable to parse: large (parameter size=large)",
	} {
		name, value, _ := strings.Cut(parameter, "=")
		_, err := tools.Build(t.Context(), Request{
			Source: source, GeneratorParams: map[string]string{name: value}, Outputs: Outputs{Object: true},
		}, cache)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v\nwant %q in it", parameter, err, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(cache, cacheFolder, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("unfinished folders are left: %v, error %v", left, err)
	}
}

// A generator that does not end is ended with the context, and nothing of it stays.
func TestHangingGenerator(t *testing.T) {
	tools, cache := installed(t), t.TempDir()
	source := filepath.Join(t.TempDir(), "hangs.py")
	started := filepath.Join(t.TempDir(), "started")
	writeHanging(t, source, started)
	ctx, stop := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	go func() {
		within(t, func() bool {
			_, err := os.Stat(started)
			return err == nil
		})
		stop(reason)
	}()
	_, err := tools.Build(ctx, Request{Source: source, Outputs: Outputs{Object: true}}, cache)
	if !errors.Is(err, reason) {
		t.Errorf("error %v", err)
	}
	wantEnded(t, strings.Fields(contents(t, started)))
	left, err := os.ReadDir(filepath.Join(cache, cacheFolder))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, error %v", left, err)
	}
}

// within waits for a condition and reports whether it came true in time.
func within(t *testing.T, condition func() bool) bool {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		if condition() {
			return true
		}
	}
	return condition()
}

// writeHanging writes a generator that starts a child, writes the process ids of both into a file, and does not end.
func writeHanging(t *testing.T, source, started string) {
	t.Helper()
	const text = `import os, subprocess, time
child = subprocess.Popen(["sleep", "1000"])
with open("FILE.part", "w") as f:
    f.write(f"{os.getpid()} {child.pid}")
os.rename("FILE.part", "FILE")
time.sleep(1000)
`
	if err := os.WriteFile(source, []byte(strings.ReplaceAll(text, "FILE", started)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantEnded checks that processes end, on Linux.
func wantEnded(t *testing.T, processes []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	for _, id := range processes {
		if !within(t, func() bool {
			stat, err := os.ReadFile(filepath.Join("/proc", id, "stat"))
			return err != nil || strings.Contains(string(stat), ") Z ") // it ended, and nobody has waited for it
		}) {
			t.Errorf("process %s still runs", id)
		}
	}
}

// builtVariable names the source that TestKilledBuilder builds when it is started by itself, and its cache.
const builtVariable = "ZONEMARK_TEST_HALIDE_BUILD"

// A generator ends with the process that builds it, even if that is killed.
func TestKilledBuilder(t *testing.T) {
	tools := installed(t)
	if paths := filepath.SplitList(os.Getenv(builtVariable)); len(paths) == 2 {
		_, err := tools.Build(t.Context(), Request{Source: paths[0], Outputs: Outputs{Object: true}}, paths[1])
		t.Fatalf("the build ended: %v", err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a program that its parent has died")
	}
	folder := t.TempDir()
	source, started := filepath.Join(folder, "hangs.py"), filepath.Join(folder, "started")
	writeHanging(t, source, started)
	builder := exec.Command(os.Args[0], "-test.run=^TestKilledBuilder$")
	builder.Env = append(builder.Environ(), builtVariable+"="+source+string(filepath.ListSeparator)+folder)
	if err := builder.Start(); err != nil {
		t.Fatal(err)
	}
	began := within(t, func() bool {
		_, err := os.Stat(started)
		return err == nil
	})
	if err := builder.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = builder.Wait() // it was killed
	if !began {
		t.Fatal("the build did not begin")
	}
	processes := strings.Fields(contents(t, started))
	wantEnded(t, processes[:1])
	left := processes[1:] // what a generator starts itself gets no signal
	if t.Failed() {
		left = processes
	}
	for _, id := range left {
		if p, err := strconv.Atoi(id); err == nil {
			process, _ := os.FindProcess(p)
			_ = process.Kill()
		}
	}
}
