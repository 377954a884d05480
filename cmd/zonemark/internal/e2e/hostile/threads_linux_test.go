package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
)

// TestThreadsEndWithTheirFunction checks many functions in few processes, each of which leaves a thread that sleeps. None
// finds the process that another one has used: the thread may wake up there at any time.
func TestThreadsEndWithTheirFunction(t *testing.T) {
	source := strings.Builder{}
	source.WriteString(`
#include <pthread.h>
#include <unistd.h>
static int used_by;
static void *sleeps(void *unused) { for (;;) pause(); return unused; }
static void use(int me, float *x) {
	pthread_t thread;
	x[0] = used_by && used_by != me;
	if (!used_by) pthread_create(&thread, 0, sleeps, 0);
	used_by = me;
}
`)
	for i := range 5 {
		fmt.Fprintf(&source, "void uses_%d(float x[1]) { use(%d, x); }\n", i, i+1)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(source.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, status := e2e.RunsIn(t, folder, "run", "k.c", "--check", "-q", "-o", "j.ndjson", "--expected-output", "1xf32=0")
	for name, r := range e2e.Journal(t, filepath.Join(folder, "j.ndjson")) {
		if notes := strings.Join(r.Notes, "; "); strings.Contains(notes, "has changed") {
			t.Errorf("%s: a thread that sleeps is no change: %s", name, notes)
		}
	}
	if status != cli.ExitOK {
		t.Errorf("status %d\n%s", status, out)
	}
}
