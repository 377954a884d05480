package capture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/trace"
)

// tracySite returns a site-packages folder with the wheel iree-base-runtime, whose Tracy client and capture tool the
// tests use.
func tracySite(t *testing.T) string {
	t.Helper()
	return setuptest.IREE(t).Site
}

// builtGenerator builds the generator once for all tests, beside the program, so that it is linked again only if one of
// its sources has changed.
var builtGenerator = sync.OnceValues(func() (path string, err error) {
	program, err := setuptest.Program()
	if err != nil {
		return "", err
	}
	path = filepath.Join(filepath.Dir(program), "tracegen")
	if out, err := exec.Command("go", "build", "-o", path, "zonemark/cmd/zonemark/internal/e2e/testdata/tracegen").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the generator: %w\n%s", err, out)
	}
	return path, nil
})

// buildGenerator returns the path of the generator.
func buildGenerator(t *testing.T) string {
	t.Helper()
	generator, err := builtGenerator()
	if err != nil {
		t.Fatal(err)
	}
	return generator
}

// generateCapture has the generator emit a scenario through the real client, captures it with the real tool, and
// returns the capture's path. Tests of the same scenario share the capture.
func generateCapture(t *testing.T, scenario ...string) string {
	t.Helper()
	site := tracySite(t)
	capture := filepath.Join(e2e.Shared(), strings.NewReplacer("/", "_").Replace(strings.Join(scenario, "_"))+".tracy")
	if _, err := os.Stat(capture); err == nil {
		return capture
	}
	run := exec.Command(buildGenerator(t), append([]string{"-site", site, "-o", capture}, scenario...)...)
	if out, err := run.CombinedOutput(); err != nil {
		_ = os.Remove(capture) // other tests must not take it for whole
		t.Fatalf("generate: %v\n%s", err, out)
	}
	return capture
}

// Brackets, nested zones and zones of worker threads that were emitted from Go arrive in a capture as they were
// emitted, and each belongs to exactly one bracket by thread or by time, even though the invocations come in pairs of
// the same name.
func TestCapturedInvocations(t *testing.T) {
	zones, f := e2e.ReadZones(t, generateCapture(t, "invocations"))
	var brackets []trace.Zone
	for _, z := range zones {
		if z.Location.Name == "invocation" {
			brackets = append(brackets, z)
		}
	}
	if len(brackets) != 6 {
		t.Fatalf("%d brackets, want 6", len(brackets))
	}
	for i, b := range brackets {
		if want := []string{"inv=gemm/0", "inv=gemm/1"}[i%2]; b.Text != want || b.Depth != 0 || b.Parent != -1 {
			t.Errorf("bracket %d: text %q, depth %d, parent %d; want %q at the top", i, b.Text, b.Depth, b.Parent, want)
		}
		if name := f.Threads()[b.Thread].Name; name != "invoking" {
			t.Errorf("bracket %d lies on thread %q", i, name)
		}
		var nested, tiles, alone, waits, strays int
		workers := map[int]bool{}
		var outer trace.Zone
		for _, z := range zones {
			if z.StartNS < b.StartNS || z.EndNS() > b.EndNS() || z.Ordinal == b.Ordinal && z.Thread == b.Thread {
				continue
			}
			switch {
			case z.Location.Name == "stray":
				strays++
			case z.Location.Name == "fence_wait":
				waits++
				if z.Thread != b.Thread || z.Parent != b.Ordinal {
					t.Errorf("wait on thread %d with parent %d", z.Thread, z.Parent)
				}
			case z.Thread != b.Thread && strings.HasPrefix(z.Location.Name, "gemm_dispatch_"):
				alone++
			case z.Thread != b.Thread:
				tiles++
				workers[z.Thread] = true
				if z.Name() != "gemm_dispatch_0, 64x64" || z.Location.Label() != "issue" || z.Depth != 0 {
					t.Errorf("zone of a worker: %q at %q, depth %d", z.Name(), z.Location.Label(), z.Depth)
				}
			case z.Depth == 1:
				nested++
				outer = z
				if z.Parent != b.Ordinal || z.Name() != "issue" {
					t.Errorf("zone %q below bracket %d has parent %d, want %d", z.Name(), i, z.Parent, b.Ordinal)
				}
			case z.Depth == 2:
				nested++
				_, value, ok := z.Value()
				if z.Parent != outer.Ordinal || z.Name() != "gemm_dispatch_1" || z.Location.File != "model.mlir" ||
					z.Location.Line != 5 || !ok || value != uint64(i) {
					t.Errorf("zone %+v at %+v, want value %d below %d", z, *z.Location, i, outer.Ordinal)
				}
			}
		}
		if nested != 2 || tiles != 4 || len(workers) != 2 || alone != 2 || waits != 2 || strays != 0 {
			t.Errorf("bracket %d holds %d nested zones, %d tiles on %d workers, "+
				"%d dispatches of one worker, %d waits, %d strays; want 2, 4, 2, 2, 2, 0",
				i, nested, tiles, len(workers), alone, waits, strays)
		}
	}
	if total := 6 * (1 + 2 + 4 + 2 + 2 + 1); len(zones) != total {
		t.Errorf("%d zones, want %d", len(zones), total)
	}
}

// The load that the benchmark reads arrives whole: its zones, texts, messages and points.
func TestCapturedLoad(t *testing.T) {
	zones, f := e2e.ReadZones(t, generateCapture(t, "load", "-zones", "20000"))
	counts := map[string]int{}
	texts := 0
	for _, z := range zones {
		switch name := z.Name(); {
		case strings.HasPrefix(name, "main_dispatch_"):
			counts["dispatch"]++
		case z.DynamicName != "":
			counts["named"]++
		default:
			counts[name]++
		}
		if z.Text != "" {
			texts++
		}
	}
	for name, want := range map[string]int{"invoke": 4000, "worker": 4000, `inner, with "comma"`: 3600, "named": 400,
		"dispatch": 4000, "leaf": 4000} {
		if counts[name] != want {
			t.Errorf("%d zones %s, want %d", counts[name], name, want)
		}
	}
	if texts != 4000 {
		t.Errorf("%d texts, want 4000", texts)
	}
	messages, points := 0, 0
	for _, err := range f.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		messages++
	}
	for p, err := range f.Plots() {
		if err != nil {
			t.Fatal(err)
		}
		if p.Plot.Name == "queue" {
			points++
		}
	}
	if messages != 4 || points != 40 {
		t.Errorf("%d messages and %d points, want 4 and 40", messages, points)
	}
}

// Tracy's tool exits with 0 even if it has given a capture up. Both the capture and the reader say that it is not
// whole.
func TestCapturedTooManyLocations(t *testing.T) {
	site := tracySite(t)
	path := filepath.Join(t.TempDir(), "capture.tracy")
	out, err := exec.Command(buildGenerator(t), "-site", site, "-o", path, "locations").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Instrumentation failure") ||
		!strings.Contains(string(out), "the capture is not whole") {
		t.Errorf("the generator ended with %v and said\n%s", err, out)
	}
	f, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, err := range f.Zones() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if info := f.Info(); !info.Partial || len(info.Warnings) == 0 {
		t.Errorf("the reader takes the capture for whole: %+v", info)
	}
}

// Two captures at once do not get into each other's way.
func TestCapturedTogether(t *testing.T) {
	site, generator := tracySite(t), buildGenerator(t)
	var runs []*exec.Cmd
	var paths []string
	for i := range 2 {
		path := filepath.Join(t.TempDir(), "capture.tracy")
		run := exec.Command(generator, "-site", site, "-o", path, "load", "-zones", []string{"20000", "40000"}[i])
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		runs, paths = append(runs, run), append(paths, path)
	}
	for i, run := range runs {
		if err := run.Wait(); err != nil {
			t.Errorf("capture %d: %v", i, err)
			continue
		}
		if zones, _ := e2e.ReadZones(t, paths[i]); len(zones) != 20000*(i+1) {
			t.Errorf("capture %d: %d zones, want %d", i, len(zones), 20000*(i+1))
		}
	}
}
