package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestKeptMemory compares a function with one that maps its arguments a second time, so that it could write into them
// when they are those of the other side. Its row ends as its own fault.
func TestKeptMemory(t *testing.T) {
	folder := t.TempDir()
	const work = "\nstatic void work(long n, float *y) { for (long i = 0; i < n; i++) y[i] = y[i] * 0.5f + 1; }\n"
	for name, code := range map[string]string{
		"old": work + "void f(long n, float y[n]) { work(n, y); }\n",
		"new": "#define _GNU_SOURCE\n#include <stdint.h>\n#include <sys/mman.h>" + work + `
static char *kept;
void f(long n, float y[n]) {
	uintptr_t begin = (uintptr_t)y & -4096ul;
	if (!kept) kept = mremap((void *)begin, 0, (uintptr_t)(y + n) - begin, MREMAP_MAYMOVE);
	work(n, y);
}
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name+".c"), []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, status := e2e.RunsIn(t, folder, "compare", "--measure", "old.c", "new.c", "-q", "-o", "j.ndjson",
		"--param", "n=16384", "--min-time", "20ms", "--max-time", "10s")
	journal, err := os.ReadFile(filepath.Join(folder, "j.ndjson"))
	if err != nil || !strings.Contains(string(journal), "kept access to memory") ||
		!strings.Contains(string(journal), string(invocations.Crashed)) ||
		!strings.Contains(out, "crashed now: native code kept access to memory") {
		t.Errorf("status %d, %v\n%s", status, err, out)
	}
	if strings.Contains(out, "faster") {
		t.Errorf("it is said to be faster:\n%s", out)
	}
}
