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
)

// TestIREEChangedDispatch measures a module with two dispatches as two sets of compiler flags make it. The flag that
// differs takes wide vectors away, by which only the matrix product becomes slower. compare names this dispatch and no
// other, of journals and of both measured in turns. Journals of a busy machine are never decided.
func TestIREEChangedDispatch(t *testing.T) {
	e2e.NeedsIREE(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("a processor without wide vectors is known for amd64 only")
	}
	// Other work on the machine makes runs contended, and sums slower.
	const patience, quiet = 3 * time.Minute, time.Minute
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.ndjson"), filepath.Join(dir, "new.ndjson")
	measure := func(path, cpu string) {
		e2e.Runs(t, 0, "run", e2e.Testdata(t, "layer.mlir"), "--compile-flags=--iree-llvmcpu-target-cpu="+cpu,
			"--dispatches", "profile", "--min-time", "50ms", "--max-time", "1s", "-o", path, "--overwrite", "-q")
	}
	module := e2e.Testdata(t, "layer.mlir")
	suite := func(cpu string) string {
		path := filepath.Join(dir, cpu+".toml")
		text := fmt.Sprintf("[[invocation]]\nname = \"layer\"\nartifact = %q\n"+
			"compile_flags = \"--iree-llvmcpu-target-cpu=%s\"\n", module, cpu)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	inTurns := []string{"compare", "--measure", suite("host"), suite("generic"), "--min-time", "50ms", "--max-time", "5s"}
	var journals, pairs comparison
	for start := time.Now(); !pairs.named && time.Since(start) < patience ||
		!journals.named && time.Since(start) < quiet; {
		if !journals.named {
			measure(old, "host")
			measure(fresh, "generic")
			journals = compared(t, "compare", old, fresh)
		}
		if !pairs.named {
			pairs = compared(t, inTurns...)
		}
	}
	if !pairs.named {
		t.Errorf("after %v, compare --measure says %s", patience, pairs.said)
	}
	if !journals.named && !(journals.Verdict == "undecided" && strings.Contains(journals.Notes, " run was contended")) {
		t.Errorf("compare says of journals: %s", journals.said)
	}
	if journals.named {
		text := e2e.Command(t, "compare", old, fresh)
		page, _ := text.Output()
		if want := "\n  dispatch " + journals.Dispatches[0].Name + ": "; !strings.Contains(string(page), want) {
			t.Errorf("want %q in\n%s", want, page)
		}
	}
}

// comparison is what compare says of the two modules.
type comparison struct {
	Name, Verdict, Notes string
	Dispatches           []struct{ Name string }
	said                 string
	named                bool // it names the matrix product, and ends with the status of a regression
}

func compared(t *testing.T, args ...string) (c comparison) {
	cmd := e2e.Command(t, append(args, "--format", "ndjson")...)
	out, _ := cmd.Output()
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.said = string(out)
	c.named = cmd.ProcessState.ExitCode() == comparing.ExitRegression && strings.HasPrefix(c.Name, "layer") &&
		c.Verdict == "slower" && len(c.Dispatches) == 1 &&
		strings.HasPrefix(c.Dispatches[0].Name, "layer_dispatch_0_matmul")
	return c
}
