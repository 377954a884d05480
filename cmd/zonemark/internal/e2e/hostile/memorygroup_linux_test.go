package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
)

// takers are functions that take memory of which no process tells, or faster than anybody looks.
const takers = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
static char piece[1 << 20];
void memory_file(long n, float y[n]) { int f = memfd_create("x", 0); while (write(f, piece, sizeof piece) > 0); pause(); }
void shared(long n, float y[n]) {
	for (;;) {
		char *p = mmap(0, 64 << 20, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) pause();
		memset(p, 1, 64 << 20);
	}
}
void mapped_file(long n, float y[n]) {
	for (;;) {
		int f = memfd_create("x", 0);
		if (f < 0 || ftruncate(f, 64 << 20)) pause();
		char *p = mmap(0, 64 << 20, 3, MAP_SHARED, f, 0);
		close(f);
		if (p == MAP_FAILED) pause();
		memset(p, 1, 64 << 20);
	}
}
void sockets(long n, float y[n]) {
	for (int s[2]; !socketpair(AF_UNIX, SOCK_STREAM, 0, s);) {
		int size = 1 << 30;
		setsockopt(s[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
		fcntl(s[0], F_SETFL, O_NONBLOCK);
		while (write(s[0], piece, 1 << 16) > 0);
	}
	pause();
}
void tables(long n, float y[n]) {
	char *p = mmap(0, 1L << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) pause();
	for (long i = 0; i < 1L << 40; i += 2 << 20) *(volatile char *)(p + i);
	pause();
}
void works(long n, float y[n]) { for (long i = 0; i < n; i++) y[i] += 1; }
void waits(long n, float y[n]) { pause(); }
`

// TestMemoryOfAGroup has native code take memory in ways of which no process tells. With --memory, it stays below that
// together with the driver, which needs less than a quarter of a GiB. Nothing is left of the groups, also after the
// driver was killed.
func TestMemoryOfAGroup(t *testing.T) {
	e2e.NeedsCompiler(t)
	group, folder := ownGroup(t, "memory", "memory.move_charge_at_immigrate", "0"), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(takers), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) *exec.Cmd {
		program := e2e.Command(t, append([]string{"run", "k.c", "-q", "--overwrite", "-o", "j.ndjson", "--param", "n=64",
			"--launches", "1", "--max-time", "10ms", "--memory", "512MiB"}, args...)...)
		program.Dir = folder
		return runIn(group, program)
	}
	// Of a killed driver, the next one removes what is left.
	killed := run("--function", "waits")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	defer killed.Process.Kill() // it may have ended
	e2e.WaitFor(t, "the executor's group", func() bool {
		for _, pid := range processesIn(t, group) {
			words, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
			if strings.Contains(string(words), "--role=measure") {
				return true
			}
		}
		return false
	})
	_ = killed.Process.Kill()
	_ = killed.Wait()
	e2e.WaitFor(t, "the end of the executor, by the kernel", func() bool { return len(processesIn(t, group)) == 0 })

	out, status := e2e.Output(t,
		run("--filter", "^(memory_file|shared|mapped_file|sockets|tables|works)", "--timeout", "60s"))
	rows := e2e.Journal(t, filepath.Join(folder, "j.ndjson"))
	for name, r := range rows {
		want := invocations.OutOfMemory
		if strings.HasPrefix(name, "works") {
			want = invocations.OK
		}
		if r.Status != want || !strings.Contains(strings.Join(r.Layers, " "), "cgroup") {
			t.Errorf("%s: %s %s, layers %s", name, r.Status, r.Error, r.Layers)
		}
	}
	if len(rows) != 6 {
		t.Errorf("status %d, %d rows\n%s", status, len(rows), out)
	}
	checkGroup(t, group)
}

// checkGroup checks that a limit of 512 MiB held in a control group, and that no groups are left in it.
func checkGroup(t *testing.T, group string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(group, "memory.max_usage_in_bytes"))
	if err != nil {
		t.Fatal(err)
	}
	if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err != nil || most > 768<<20 {
		t.Errorf("they took %d MiB, %v", most>>20, err)
	}
	if names := groupsIn(t, group); len(names) > 0 {
		t.Errorf("left: %s", fmt.Sprint(names))
	}
}

// TestBuildersOfAGroup has generators, which are programs, say in which control group they are, and take memory of which
// no process tells. With --memory, they stay below that together with the driver.
func TestBuildersOfAGroup(t *testing.T) {
	halide := setuptest.Halide(t)
	group, folder := ownGroup(t, "memory", "memory.move_charge_at_immigrate", "0"), t.TempDir()
	for _, c := range []struct{ name, text, says string }{
		{"where.py", `raise RuntimeError(open("/proc/self/cgroup").read())`, filepath.Base(group) + "/zonemark-"},
		{"takes.py", `
import os, time
piece, file = bytes(1 << 20), os.memfd_create("x")
while os.write(file, piece):
    pass
`, "512 MiB are allowed; --memory allows more"},
	} {
		if err := os.WriteFile(filepath.Join(folder, c.name), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		program := e2e.Command(t, "run", c.name, "-q", "--dry-run", "--memory", "512MiB")
		program.Env, program.Dir = append(program.Env, halide.Environment()...), folder
		if out, status := e2e.Output(t, runIn(group, program)); status != 1 || !strings.Contains(out, c.says) {
			t.Errorf("%s: status %d\n%s", c.name, status, out)
		}
	}
	checkGroup(t, group)
}
