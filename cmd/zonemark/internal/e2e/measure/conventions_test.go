package measure

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
)

// TestFunctionsThatLoseRegisters measures functions that do not keep a register in which their caller, the timed loop,
// counts. They would end it early, or never.
func TestFunctionsThatLoseRegisters(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.GOOS == "windows" {
		t.Skip("the functions are written for the System V ABI of amd64")
	}
	folder := t.TempDir()
	source := `#include <time.h>
static int calls;
static int late(void) { return ++calls > 3; }
void keeps(long n, float x[n]) { x[0] = 1; }
void reads_clock(long n, float x[n]) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); x[0] = t.tv_sec; }
void flushes(long n, float x[n]) { unsigned w; if (++calls < 20) return;
	__asm__ volatile ("stmxcsr %0" : "=m"(w)); w |= 0x8040; __asm__ volatile ("ldmxcsr %0" : : "m"(w)); }
`
	registers := []string{"rbx", "rbp", "r12", "r13", "r14", "r15"}
	for _, register := range registers {
		source += "__attribute__((naked)) void loses_" + register + `_(long n, float *x) { __asm__("mov $1000, %` +
			register + `\nret"); }` + "\nvoid loses_" + register + "(long n, float x[n]) { if (late()) __asm__ volatile (" +
			`"mov $1000, %` + register + `"); }` + "\n"
	}
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "k.c", "-q", "-o", "j.ndjson", "--param", "n=4", "--launches", "2", "--min-time", "2ms",
		"--max-time", "50ms", "--timeout", "20s", "--function", "keeps", "--function", "flushes", "--function", "reads_clock"}
	for _, register := range registers {
		args = append(args, "--function", "void loses_"+register+"_(long n, float x[n])", "--function", "loses_"+register)
	}
	if out, status := e2e.RunsIn(t, folder, args...); status != 2 {
		t.Fatalf("status %d\n%s", status, out)
	}
	for name, r := range e2e.Journal(t, filepath.Join(folder, "j.ndjson")) {
		name, _, _ = strings.Cut(name, "/")
		if name == "keeps" || name == "reads_clock" {
			seen := name == "reads_clock" && slices.Contains(r.Layers, "seccomp") // else a call could start processes
			if r.Status != invocations.OK || r.ReadsClock != seen {
				t.Errorf("%s: %s %s, reads the clock: %t, want %t", name, r.Status, r.Error, r.ReadsClock, seen)
			}
			continue
		}
		register := strings.Trim(strings.TrimPrefix(name, "loses_"), "_")
		if name == "flushes" { // which only calls after the timed ones can show
			register = "the control bits of MXCSR"
		}
		if r.Status != invocations.Failed || !strings.Contains(r.Error, "does not keep "+register+" (System V ABI)") {
			t.Errorf("%s: %s %s", name, r.Status, r.Error)
		}
	}
}
