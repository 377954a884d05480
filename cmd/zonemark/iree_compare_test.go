package main

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/comparing"
)

// TestIREEChangedDispatch measures a module with two dispatches as two sets of compiler flags make it. The flag that
// differs takes wide vectors away, by which only the matrix product becomes slower. compare names this dispatch and no
// other.
func TestIREEChangedDispatch(t *testing.T) {
	needsIREE(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("a processor without wide vectors is known for amd64 only")
	}
	const patience = 3 * time.Minute // other work on the machine makes runs contended, and sums slower
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.ndjson"), filepath.Join(dir, "new.ndjson")
	measure := func(path, cpu string) {
		runs(t, 0, "run", filepath.Join("testdata", "layer.mlir"), "--compile-flags=--iree-llvmcpu-target-cpu="+cpu,
			"--dispatches", "profile", "--min-time", "50ms", "--max-time", "1s", "-o", path, "--overwrite", "-q")
	}
	var said string
	for start := time.Now(); time.Since(start) < patience; {
		measure(old, "host")
		measure(fresh, "generic")
		cmd := command(t, "compare", old, fresh, "--format", "ndjson")
		out, _ := cmd.Output()
		said = string(out)
		var row struct {
			Name, Verdict string
			Dispatches    []struct {
				Name string
			}
		}
		if err := json.Unmarshal(out, &row); err != nil {
			t.Fatal(err, said)
		}
		if cmd.ProcessState.ExitCode() == comparing.ExitRegression && row.Name == "layer" && row.Verdict == "slower" &&
			len(row.Dispatches) == 1 && strings.HasPrefix(row.Dispatches[0].Name, "layer_dispatch_0_matmul") {
			text := command(t, "compare", old, fresh)
			page, _ := text.Output()
			if want := "\n  dispatch " + row.Dispatches[0].Name + ": "; !strings.Contains(string(page), want) {
				t.Errorf("want %q in\n%s", want, page)
			}
			return
		}
	}
	t.Errorf("after %v, compare says %s", patience, said)
}
