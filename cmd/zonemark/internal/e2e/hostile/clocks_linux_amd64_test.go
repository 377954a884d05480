package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestShorterTimesDoNotAddUp measures a function that finds the moment at which a batch began on the stack of the loop,
// and moves it by half of the time since. The batch then takes half as long by the loop's clock, and as long as before
// by the system's.
func TestShorterTimesDoNotAddUp(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(`
#include <stdint.h>
#include <x86intrin.h>
static void work(long n, float *y) { for (int k = 0; k < 300; k++) for (long i = 0; i < n; i++) y[i] = y[i] * 0.5f + 1; }
void honest(long n, float y[n]) { work(n, y); }
__attribute__((noinline)) void halves(long n, float y[n]) {
	work(n, y);
	uint64_t *word = __builtin_frame_address(0);
	for (int i = 0; i < 200; i++) {
		uint64_t since = __rdtsc() - word[i];
		if (since < 1000000000) word[i] += since / 2;
	}
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	out, status := e2e.RunsIn(t, folder, "run", "k.c", "-q", "-o", "j.ndjson", "--param", "n=256", "--min-time", "60ms",
		"--max-time", "2s", "--launches", "2")
	rows := e2e.Journal(t, filepath.Join(folder, "j.ndjson"))
	for name, r := range rows {
		name, _, _ = strings.Cut(name, "/")
		want, reason := invocations.OK, ""
		if name == "halves" {
			want, reason = invocations.Crashed, "its times do not add up"
		}
		if r.Status != want || !strings.Contains(r.Error, reason) {
			t.Errorf("%s: %s %q", name, r.Status, r.Error)
		}
	}
	if len(rows) != 2 || status != 2 {
		t.Errorf("%d rows, status %d\n%s", len(rows), status, out)
	}
}
