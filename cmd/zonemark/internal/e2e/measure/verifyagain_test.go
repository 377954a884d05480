package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestWorkOfFirstCallsOnly compares functions with a reference that do their work in their first calls only: in the very
// first, in many, or once for each place of their output. What is timed then is a call that does nothing.
func TestWorkOfFirstCallsOnly(t *testing.T) {
	folder := t.TempDir()
	suite := ""
	for _, name := range []string{"honest", "once", "late", "remembers", "adds"} {
		suite += "[[invocation]]\nname = \"" + name + "\"\nartifact = \"k.c\"\nfunction = \"" + name +
			"\"\nparams = { n = 64 }\nverify = { reference = \"honest\" }\n"
	}
	suite = strings.Replace(suite, `"adds"
params = { n = 64 }
verify = { reference = "honest" }`, `"adds"
params = { n = 64 }
verify = { reference = "sums" }`, 1)
	for name, text := range map[string]string{"s.toml": suite, "k.c": `
void honest(long n, const float x[n], float y[n]) { for (long i = 0; i < n; i++) y[i] = 3 * x[i] + 1; }
void once(long n, const float x[n], float y[n]) { static int c; if (c++) return; honest(n, x, y); }
void late(long n, const float x[n], float y[n]) { static int c; if (c++ > 100) return; honest(n, x, y); }
void remembers(long n, const float x[n], float y[n]) {
	static float *seen[16]; static int places;
	for (int i = 0; i < places && i < 16; i++) if (seen[i] == y) return;
	if (places < 16) seen[places++] = y;
	honest(n, x, y);
}
void sums(long n, const float x[n], float y[n]) { for (long i = 0; i < n; i++) y[i] += x[i]; }
void adds(long n, const float x[n], float y[n]) { for (long i = n - 1; i >= 0; i--) y[i] = x[i] + y[i]; }
`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, status := e2e.RunsIn(t, folder, "run", "s.toml", "-q", "-o", "j.ndjson", "--launches", "2", "--min-time", "2ms",
		"--max-time", "50ms"); status != 2 {
		t.Fatalf("status %d\n%s", status, out)
	}
	for name, r := range e2e.Journal(t, filepath.Join(folder, "j.ndjson")) {
		want, reason := invocations.Mismatch, "in a call after the timed ones, with the first contents restored: argument 3 (y): "
		if name == "honest" || name == "adds" { // which changes its arguments in each call
			want, reason = invocations.OK, ""
		}
		if r.Status != want || !strings.HasPrefix(r.Error, reason) {
			t.Errorf("%s: %s %q", name, r.Status, r.Error)
		}
	}
}
