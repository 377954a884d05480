package halide

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/environ"
	"zonemark/invocations/remedy"
)

// onLinux skips a test of pipelines for this machine where Halide makes them in another format than ELF.
func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("pipelines for " + runtime.GOOS + " are no ELF files")
	}
}

// A schedule computes the same as the plain pipeline, at its estimated sizes and at others, and with one thread.
func TestSchedules(t *testing.T) {
	onLinux(t)
	path := filepath.Join(byHalide(t), "box.so")
	for _, c := range []struct {
		function   string
		parameters map[string]string
		threads    string
		note       string
	}{
		{"box", nil, "", ""},
		{"box", map[string]string{"gain": "0.5"}, "1", ""},
		{"box", map[string]string{"src.extent": "100x60"}, "2", "dst has the extents 100x60 in place of the " +
			"estimated 320x240, as the buffers that were given"},
		{"box", map[string]string{"dst.extent": "64x64", "src.extent": "200x64"}, "2", ""},
		{"box_open", map[string]string{"dst.extent": "64x64"}, "2", ""},
	} {
		inv := invocation(t, path, c.function)
		inv.Parameters, inv.Verify.Reference = c.parameters, c.function+"_plain"
		if c.function == "box_open" {
			inv.Verify.Reference = c.function
		}
		if c.threads != "" {
			inv.SetOption(OptionTaskThreads, c.threads)
		}
		call := prepare(t, inv, 0)
		mismatch, err := call.Verify(func(string) {})
		if err != nil || mismatch != "" {
			t.Errorf("%s %v: mismatch %q, error %v", c.function, c.parameters, mismatch, err)
		}
		if err := callTimes(t, call, 20); err != nil {
			t.Errorf("%s %v: %v", c.function, c.parameters, err)
		}
		if want := c.threads; want != "" && call.Properties["threads"] != want {
			t.Errorf("%s threads, want %s", call.Properties["threads"], want)
		}
		if notes := strings.Join(call.Notes, "; "); !strings.Contains(notes, c.note) {
			t.Errorf("notes %s\nwant %s", notes, c.note)
		}
	}
}

// A call waits for other threads only if the pipeline has work for them.
func TestWaits(t *testing.T) {
	onLinux(t)
	path := filepath.Join(byHalide(t), "box.so")
	waits := func(function string) bool {
		inv := invocation(t, path, function)
		inv.SetOption(OptionTaskThreads, "2")
		call := prepare(t, inv, 0)
		if err := callTimes(t, call, 3); err != nil {
			t.Fatal(err)
		}
		return code(call).Waits
	}
	if !waits("box") {
		t.Error("a parallel pipeline does not wait")
	}
	for range 5 { // Go may happen to start a thread of its own meanwhile
		if !waits("box_plain") {
			return
		}
	}
	t.Error("a pipeline without parallel work waits")
}

// Halide's own checks end a call with Halide's text.
func TestHalideError(t *testing.T) {
	onLinux(t)
	inv := invocation(t, filepath.Join(byHalide(t), "box.so"), "box_open")
	inv.Parameters = map[string]string{"src.extent": "50x64", "dst.extent": "64x64"}
	err := callTimes(t, prepare(t, inv, 0), 3)
	var failed *CallError
	if !errors.As(err, &failed) || failed.Code != -4 ||
		!strings.Contains(failed.Text, "Input buffer src is accessed at") {
		t.Errorf("error %v", err)
	}
}

// Archives and object files are linked once for each content.
func TestBuild(t *testing.T) {
	onLinux(t)
	folder, cache := byHalide(t), t.TempDir()
	r := New(environ.Variables{}.Lookup)
	build := func(name string) (string, error) {
		return r.Build(context.Background(), invocations.Artifact{Path: filepath.Join(folder, name)},
			building.Workshop{Cache: cache})
	}
	inv := invocation(t, filepath.Join(folder, "double.o"), "double", "a=iota")
	first, err := build("double.o")
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := build("double.o")
	after, statErr := os.Stat(again)
	if err != nil || statErr != nil || again != first || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("built again: %s after %s, errors %v and %v", again, first, err, statErr)
	}
	if other, err := build("box.o"); err != nil || other == first {
		t.Errorf("another object: %s, error %v", other, err)
	}
	if same, err := build("box.so"); err != nil || same != filepath.Join(folder, "box.so") {
		t.Errorf("a shared library: %s, error %v", same, err)
	}
	if _, err := build("box_plain.o"); err == nil || !strings.Contains(remedy.Told(err, nil), "it lacks Halide's "+
		"runtime: build it without the target feature no_runtime") {
		t.Errorf("without a runtime: error %v", err)
	}
	none := New(environ.Of("CC=no-such-compiler").Lookup)
	if _, err := none.Build(context.Background(), inv.Artifact, building.Workshop{Cache: cache}); err == nil ||
		!strings.Contains(err.Error(), `the C compiler "no-such-compiler", which CC names, was not found`) {
		t.Errorf("without a compiler: error %v", err)
	}
	byLinker := New(environ.Of("CC=ld").Lookup)
	inv.Artifact.Built, err = byLinker.Build(context.Background(), inv.Artifact, building.Workshop{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	inv.Verify.Expected = []string{"64xf32=iota"}
	if got := verified(t, inv); !strings.HasPrefix(got, "b is not as expected: 64 of 64 elements differ; the first is "+
		"element 0: got 1, want 0") {
		t.Errorf("mismatch %q", got)
	}
	inv.Artifact.Built = ""
	if _, err := r.Load(inv.Artifact); err == nil || !strings.Contains(err.Error(), "it must be linked before it is "+
		"loaded") {
		t.Errorf("loaded an object file: error %v", err)
	}
}

// The profile has the Funcs of the pipeline. They and the host's time sum to a call.
func TestProfile(t *testing.T) {
	onLinux(t)
	folder := byHalide(t)
	inv := invocation(t, filepath.Join(folder, "profile.so"), "box")
	inv.Measure.ProfileCalls = 50
	checkProfile(t, inv)

	inv = invocation(t, filepath.Join(folder, "box.so"), "box")
	inv.Measure.ProfileCalls = 50
	if call := prepare(t, inv, 0); call.Profile != nil {
		t.Error("a pipeline without the profiler has a profile")
	}
	inv.SetOption(OptionProfileBuild, filepath.Join(folder, "profile.so"))
	checkProfile(t, inv)

	inv.Function = "box_plain"
	if _, err := load(t, inv).Prepare(inv, 0); err == nil || !strings.Contains(err.Error(), "option profile-build: ") {
		t.Errorf("a profile build without the pipeline: error %v", err)
	}
	inv.Function = "box"
	inv.SetOption(OptionProfileBuild, filepath.Join(folder, "box.so"))
	if _, err := load(t, inv).Prepare(inv, 0); err == nil || !strings.Contains(err.Error(), "was made without the "+
		"target feature profile; build it with it") {
		t.Errorf("a profile build without the profiler: error %v", err)
	}
}

func checkProfile(t *testing.T, inv *invocations.Invocation) {
	t.Helper()
	call := prepare(t, inv, 0)
	if err := callTimes(t, call, 3); err != nil {
		t.Fatal(err)
	}
	p, err := call.Profile(inv.Measure.ProfileCalls)
	if err != nil {
		t.Fatal(err)
	}
	sum := p.HostNS + p.UnexplainedNS
	found := map[string]invocations.Dispatch{}
	for i, d := range p.Dispatches {
		sum += d.MedianNS
		name, _, _ := strings.Cut(d.Name, "$") // Halide numbers Funcs of one name
		found[name] = d
		if d.Ordinal != i || d.Count < inv.Measure.ProfileCalls || d.MinNS > d.MedianNS {
			t.Errorf("dispatch %d: %+v", i, d)
		}
	}
	if rows := found["rows"]; rows.PeakBytes < 2*320*242 || rows.Allocations < 0.99 || rows.MedianNS <= 0 {
		t.Errorf("the Func rows: %+v", rows)
	}
	if found["dst"].MedianNS <= 0 || found["dst"].Allocations != 0 {
		t.Errorf("the Func dst: %+v", found["dst"])
	}
	if !p.Partial && math.Abs(sum-p.CallNS) > tolerance*p.CallNS {
		t.Errorf("a call of %g ns, and its parts sum to %g", p.CallNS, sum)
	}
}
