package hosts

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
)

// Three hosts measure at the same time: each takes a share at the start, a half of what would be its part, and further
// ones later. How much faster that is, hosts.sh shows.
func TestViaShares(t *testing.T) {
	t.Parallel()
	const hosts, least = 3, 4 // the first takes 6 of 36, the next 5 of 30, the last 4 of 25
	args := e2e.ViaKernel(t, t.TempDir())
	for range hosts {
		args = append(args, "--via", "env")
	}
	r := e2e.StartVia(t, []string{sharedHome(t)}, args...)
	if status := r.Wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, &r.Stderr)
	}
	shares := r.Complete()
	for host, share := range shares {
		if share < least {
			t.Errorf("%s has measured %d, and its first share was at least %d", host, share, least)
		}
	}
	if len(shares) != hosts {
		t.Errorf("results by host: %v", shares)
	}
}

// When the journal cannot be written any more, a run on several hosts says so, as a run on this machine does, and not
// that it was interrupted, which is how the other hosts end.
func TestViaFullDisk(t *testing.T) {
	t.Parallel()
	args := append(e2e.ViaKernel(t, t.TempDir()), "--via", "env", "--via", "env")
	variables := []string{sharedHome(t)}
	r := e2e.StartVia(t, variables, append(args, "--filter", "n=1$")...) // brings what is longer than the limit
	if status := r.Wait(); status != 0 {
		t.Fatalf("status %d:\n%s", status, &r.Stderr)
	}
	journal := filepath.Join(t.TempDir(), "full.ndjson")
	run := e2e.Command(t, append(args, "-o", journal)...)
	const kilobytes = "24" // of 36 results, each of more than one
	limited := exec.Command("bash", append([]string{"-c", `ulimit -f "$0"; exec "$@"`, kilobytes}, run.Args...)...)
	limited.Env = append(run.Env, variables...)
	out, err := limited.CombinedOutput()
	if limited.ProcessState == nil || limited.ProcessState.ExitCode() != cli.ExitError {
		t.Fatalf("%v:\n%s", err, out)
	}
	_, said, _ := strings.Cut(string(out), "\nzonemark: ")
	if strings.Count(said, "a line was not written") != 1 || strings.Contains(said, "interrupted") ||
		strings.Contains(said, "no host is left") {
		t.Errorf("it does not say what happened, or more than that:\n%s", out)
	}
}
