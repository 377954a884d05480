package iree

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations/testsize"
)

// TestIREEChangedDispatch measures a module with two dispatches as two sets of compiler flags make it. The flag that
// differs takes wide vectors away, by which only the matrix product becomes slower. compare, of journals and of both
// measured in turns, names this dispatch and no other, or leaves it undecided on a busy machine. The large size tries
// for longer.
func TestIREEChangedDispatch(t *testing.T) {
	t.Parallel()
	e2e.NeedsIREE(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("a processor without wide vectors is known for amd64 only")
	}
	patience, inTurns := time.Duration(0), "1s"
	if testsize.Large() {
		patience, inTurns = 20*time.Second, "5s"
	}
	dir, module := t.TempDir(), e2e.Testdata(t, "layer.mlir")
	old, fresh := filepath.Join(dir, "old.ndjson"), filepath.Join(dir, "new.ndjson")
	measure := func(path, cpu string) {
		e2e.Runs(t, 0, "run", module, "--compile-flags=--iree-llvmcpu-target-cpu="+cpu,
			"--dispatches", "profile", "--min-time", "20ms", "--max-time", "200ms", "-o", path, "--overwrite", "-q")
	}
	suite := func(cpu string) string {
		path := filepath.Join(dir, cpu+".toml")
		text := fmt.Sprintf("[[invocation]]\nname = \"layer\"\nartifact = %q\n"+
			"compile_flags = \"--iree-llvmcpu-target-cpu=%s\"\n", module, cpu)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	decide(t, "of journals", patience, func() comparison {
		measure(old, "host")
		measure(fresh, "generic")
		return compared(t, "compare", old, fresh)
	})
	host, generic := suite("host"), suite("generic")
	decide(t, "in turns", patience, func() comparison {
		return compared(t, "compare", "--measure", host, generic, "--min-time", "20ms", "--max-time", inTurns)
	})
}

// decide compares until the changed dispatch is named, for as long as patience lasts, but once at least. What is said is
// never wrong.
func decide(t *testing.T, how string, patience time.Duration, compare func() comparison) {
	t.Helper()
	for start := time.Now(); ; {
		c := compare()
		if c.named {
			return
		}
		if c.Verdict != "undecided" && !(c.Verdict == "slower" && len(c.Dispatches) == 0) {
			t.Fatalf("compare %s says: %s", how, c.said)
		}
		if time.Since(start) >= patience {
			t.Logf("other work leaves it undecided %s: %s", how, c.said)
			return
		}
	}
}

// comparison is what compare says of the two modules.
type comparison struct {
	Name, Verdict, Notes string
	Dispatches           []struct{ Name string }
	said                 string
	named                bool // it names the matrix product first, and ends with the status of a regression
}

func compared(t *testing.T, args ...string) (c comparison) {
	cmd := e2e.Command(t, append(args, "--format", "ndjson")...)
	out, _ := cmd.Output()
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.said = string(out)
	c.named = cmd.ProcessState.ExitCode() == comparing.ExitRegression && strings.HasPrefix(c.Name, "layer") &&
		c.Verdict == "slower" && len(c.Dispatches) > 0 &&
		strings.HasPrefix(c.Dispatches[0].Name, "layer_dispatch_0_matmul")
	return c
}
