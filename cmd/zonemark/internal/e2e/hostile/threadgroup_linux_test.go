package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations"
	"zonemark/invocations/cgroups"
)

// ownGroup makes a control group of the test's own below its own, in which it can run a process, and writes a value into
// one of the files.
func ownGroup(t *testing.T, controller, file, value string) (folder string) {
	t.Helper()
	text := func(name string) string {
		b, _ := os.ReadFile(filepath.Join("/", name))
		return strings.TrimSpace(string(b))
	}
	for _, parent := range cgroups.Folders(text, controller) {
		folder = filepath.Join("/", parent, fmt.Sprintf("zonemark-test-%d", os.Getpid()))
		if os.Mkdir(folder, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(folder) })
		if os.WriteFile(filepath.Join(folder, file), []byte(value), 0o644) == nil &&
			exec.Command("sh", "-c", inGroup, "sh", folder, "true").Run() == nil {
			return folder
		}
	}
	t.Skipf("this user can run nothing in a control group with %s", file)
	return ""
}

// inGroup is a script that has a program run in a control group. It proves first that it is there itself.
const inGroup = `echo $$ > "$1/tasks" 2>/dev/null || echo $$ > "$1/cgroup.procs" || exit 99
grep -q "$(basename "$1")" /proc/self/cgroup || exit 99
shift; exec "$@"`

// runIn returns a command that runs a program in a control group.
func runIn(group string, program *exec.Cmd) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", inGroup, "sh", group, program.Path}, program.Args[1:]...)...)
	cmd.Env, cmd.Dir = program.Env, program.Dir
	return cmd
}

// groupsIn returns the names of the control groups in one.
func groupsIn(t *testing.T, group string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(group)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// processesIn returns the numbers of the processes in the control groups in one.
func processesIn(t *testing.T, group string) (numbers []string) {
	t.Helper()
	for _, name := range groupsIn(t, group) {
		text, _ := os.ReadFile(filepath.Join(group, name, "cgroup.procs")) // it may have been removed
		numbers = append(numbers, strings.Fields(string(text))...)
	}
	return numbers
}

// TestThreadsOfAGroup runs native code that starts threads until the system refuses them, in a control group that holds
// the driver as well. The code is killed, and the driver goes on.
func TestThreadsOfAGroup(t *testing.T) {
	e2e.NeedsCompiler(t)
	group, folder := ownGroup(t, "pids", "pids.max", "200"), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(`
#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *p) { for (;;) pause(); }
void threads(long n, float y[n]) {
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (;;) { pthread_t t; if (pthread_create(&t, &small, sleeps, 0)) break; }
	sleep(5); // as long as a watch may take, and no longer
}
void works(long n, float y[n]) { for (long i = 0; i < n; i++) y[i] += 1; }
`), 0o644); err != nil {
		t.Fatal(err)
	}
	program := e2e.Command(t, "run", "k.c", "-q", "-o", "j.ndjson", "--param", "n=64", "--launches", "2",
		"--max-time", "100ms")
	program.Dir = folder
	out, status := e2e.Output(t, runIn(group, program))
	rows := e2e.Journal(t, filepath.Join(folder, "j.ndjson"))
	for name, r := range rows {
		if strings.HasPrefix(name, "works") && r.Status != invocations.OK ||
			strings.HasPrefix(name, "threads") && (r.Status != invocations.Crashed || !strings.Contains(r.Error, "pids.max")) {
			t.Errorf("%s: %s %s", name, r.Status, r.Error)
		}
	}
	if len(rows) != 2 || strings.Contains(out, "fatal error") {
		t.Errorf("status %d, %d rows\n%s", status, len(rows), out)
	}
}
