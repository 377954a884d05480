package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestRefusedCallsAreTold measures functions that take another way when the sandbox refuses what they ask for, and that
// return as if all were well. Their rows say so, and are not clean.
func TestRefusedCallsAreTold(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	table := filepath.Join(elsewhere, "table")
	if err := os.WriteFile(table, make([]byte, 64), 0o644); err != nil {
		t.Fatal(err)
	}
	source := fmt.Sprintf(`
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int closed(int d) { if (d >= 0) close(d); return 0; }
int forks(int a) { int p = fork(); if (p == 0) _exit(0); if (p > 0) waitpid(p, 0, 0); return 0; }
int connects(int a) { return closed(socket(AF_INET, SOCK_STREAM, 0)); }
int looks(int a) { FILE *f = fopen("%s", "r"); if (f) fclose(f); return 0; }
int writes(int a) { return closed(open("/usr/new", O_CREAT | O_RDWR, 0600)); }
int reads(int a) { return closed(open("/proc/self/stat", O_RDONLY)); }
int misses(int a) { return closed(open("/proc/self/none", O_RDONLY)); }
int adds(int a) { return 0 * a; }
`, table)
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"forks": "refused: clone, 1 a call (--sandbox-profile device", "connects": "refused: socket, 1 a call (--sandbox-profile",
		"looks":  "refused: openat of " + table + ", 1 a call (--sandbox-read PATH",
		"writes": "refused: openat of /usr/new, 1 a call (--sandbox-allow PATH",
		"reads":  "", "misses": "", "adds": "",
	}
	run := func(wanted map[string]string, more ...string) {
		t.Helper()
		args := append([]string{"run", "k.c", "-q", "-o", "j.ndjson", "--param", "a=1", "--min-time", "2ms", "--max-time",
			"100ms", "--sandbox", "require"}, more...)
		if out, status := e2e.RunsIn(t, folder, args...); status != 0 {
			t.Fatalf("%v: status %d\n%s", more, status, out)
		}
		for name, r := range e2e.Journal(t, filepath.Join(folder, "j.ndjson")) {
			name, _, _ = strings.Cut(name, "/")
			reason := wanted[name]
			told := strings.Join(r.Notes, "\n")
			if reason == "" && strings.Contains(told, "refused") || !strings.Contains(told, reason) {
				t.Errorf("%v: %s: notes %q, want %q", more, name, told, reason)
			}
			timed := r.Stop != invocations.StopCheck
			if e2e.Has(r, invocations.Refused) != (reason != "" && timed) || e2e.Has(r, invocations.Clean) && reason != "" {
				t.Errorf("%v: %s: verdicts %v", more, name, r.Verdicts)
			}
			if timed && (r.MedianNS == nil || r.Iterations == nil) {
				t.Errorf("%v: %s was not measured: %+v", more, name, r)
			}
		}
		if err := os.Remove(filepath.Join(folder, "j.ndjson")); err != nil {
			t.Fatal(err)
		}
	}
	run(want, "--launches", "2")
	run(want, "--launches", "1")
	run(want, "--check")
	run(map[string]string{"looks": ""}, "--function", "looks", "--sandbox-read", elsewhere)
}
