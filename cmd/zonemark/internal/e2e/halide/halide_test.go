package halide

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
)

// TestHalide measures two schedules of a pipeline that Halide has made, against each other, with the times of Funcs
// from a profile build.
func TestHalide(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("pipelines for " + runtime.GOOS + " are no ELF files")
	}
	objects, dir := setuptest.HalidePipelines(t, e2e.Top(t, "executor", "halide", "testdata", "pipelines.py"),
		"-g box -f box target=host",
		"-g box -f box_plain target=host-no_runtime scheduled=0",
		"-g box -f box -n profile target=host-profile",
	), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(objects)); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"ar", "rc", in("box.a"), in("box.o"), in("box_plain.o")},
		{"cc", "-shared", "-o", in("profile.so"), in("profile.o"), "-lpthread", "-ldl", "-lm"},
	} {
		if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	out, err := e2e.Command(t, "run", in("box.a"), "--function", "box", "--group", "--profile-build", in("profile.so"),
		"--format", "ndjson", "-q", "--max-time", "200ms", "--launches", "2").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := e2e.Rows(t, out)["box"]
	if r.Status != invocations.OK || r.MedianNS == nil || r.DispatchSource != invocations.ByProfiler {
		t.Fatalf("%+v", r)
	}
	names := map[string]bool{}
	for _, d := range r.Dispatches {
		name, _, _ := strings.Cut(d.Name, "$")
		names[name] = true
		if name == "rows" && (d.Allocations == nil || d.PeakBytes < 320*240*2) {
			t.Errorf("%+v", d)
		}
	}
	if !names["rows"] || !names["dst"] {
		t.Errorf("Funcs %v", names)
	}
	out, err = e2e.Command(t, "run", in("box.a"), "--group", "--check", "--format", "ndjson", "-q").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"box", "box_plain"} {
		r := e2e.Rows(t, out)[name]
		if r.Status != invocations.OK || !strings.HasPrefix(r.Group, "(src uint8[2] 320x240, ") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
