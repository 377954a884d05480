package slurm

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// farmSuite writes a suite with rows that wait for 20 ms, some of which crash, and with groups, to a new folder. On the
// node n3 of a cluster they wait ten times as long, so that what is there is not over before it is lost.
func farmSuite(t *testing.T, rows int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{
		"wait.c": `
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void wait_us(long us)
{
    const char *node = getenv("SLURMD_NODENAME");
    if (us % 17 == 3) abort();
    usleep(node && !strcmp(node, "n3") ? 10 * us : us);
}
void add(long n, float x[n]) { for (long i = 0; i < n; i++) x[i] += x[i]; }
void scale(long n, float x[n]) { for (long i = 0; i < n; i++) x[i] *= 2; }
`,
		"wait.toml": fmt.Sprintf(`
[defaults]
artifact = "wait.c"
[[invocation]]
name = "wait {us}"
function = "wait_us"
check_only = true
[invocation.axes]
us = { from = 20000, to = %d, step = 1 }
[[invocation]]
name = "{function} {n}"
group = "twice {n}"
launches = 2
min_time = "100us"
max_time = "1ms"
[invocation.axes]
function = ["add", "scale"]
n = [16, 32, 64, 128]
`, 20000+rows-1),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// farmScript has a script written that measures the suite of a folder in shards, whose journals come to the folder
// "odd $dir's".
func farmScript(t *testing.T, folder string, shards int, flags ...string) {
	t.Helper()
	args := append([]string{"farm", "sbatch", "wait.toml", "--shards", fmt.Sprint(shards), "--folder", oddFolder,
		"-o", "job.sh", "--program", filepath.Join(folder, "zonemark"), "--filter=^(wait|add|scale) "}, flags...)
	if out, status := e2e.RunsIn(t, folder, args...); status != 0 {
		t.Fatalf("status %d\n%s", status, out)
	}
	if err := os.Symlink(e2e.Program(t), filepath.Join(folder, "zonemark")); err != nil {
		t.Fatal(err)
	}
	checker, err := exec.LookPath("shellcheck")
	switch {
	case err == nil:
		if out, status := e2e.Output(t, exec.Command(checker, "--exclude=SC2016", // a name may have a dollar
			filepath.Join(folder, "job.sh"))); status != 0 {
			t.Errorf("shellcheck:\n%s", out)
		}
	case os.Getenv("CI") != "":
		t.Errorf("shellcheck is not installed: %v", err)
	}
}

const oddFolder = "odd $dir's"

// farmed is what a journal must have in common with another run's.
type farmed struct {
	name, group string
	status      invocations.Status
	place       int
}

// farmedIn reads a complete journal.
func farmedIn(t *testing.T, path string) map[string]farmed {
	t.Helper()
	c, err := journal.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Complete || len(c.Duplicates) > 0 {
		t.Errorf("%s is not complete: %s; doubles: %v", path, c.Why, c.Duplicates)
	}
	found := map[string]farmed{}
	for _, r := range recordstest.All(t, c.Records) {
		waited := strings.HasPrefix(r.Name, "wait ") && r.Status == invocations.OK
		if r.SpentNS == nil {
			t.Errorf("%s of %s has no spent_ns", r.Name, path)
		} else if waited && *r.SpentNS < 20e6 {
			t.Errorf("%s of %s, which waits for 20 ms, took %g ns", r.Name, path, *r.SpentNS)
		}
		found[r.ID] = farmed{r.Name, r.Group, r.Status, *r.Place}
	}
	return found
}

// checkFarmed checks that a merged journal has the invocations of one machine's run, and that each group is in one shard.
func checkFarmed(t *testing.T, folder, merged string) {
	t.Helper()
	if out, status := e2e.RunsIn(t, folder, "run", "wait.toml", "-q", "-o", "whole.ndjson"); status != cli.ExitNotOK {
		t.Fatalf("status %d\n%s", status, out)
	}
	want, got := farmedIn(t, filepath.Join(folder, "whole.ndjson")), farmedIn(t, filepath.Join(folder, merged))
	if !maps.Equal(want, got) {
		t.Errorf("one machine's run:\n%v\nmerged:\n%v", want, got)
	}
	shards, err := filepath.Glob(filepath.Join(folder, oddFolder, "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]string{}
	for _, path := range shards {
		for id, r := range farmedIn(t, path) {
			if want[id] != r {
				t.Errorf("%s: %+v, in one machine's run %+v", path, r, want[id])
			}
			if other, known := in[r.group]; known && r.group != "" && other != path {
				t.Errorf("group %s is in %s and %s", r.group, other, path)
			}
			in[r.group] = path
		}
	}
	if len(in) != 5 { // four groups, and none
		t.Errorf("groups %v", in)
	}
}

// resultsIn counts the results that a journal has so far.
func resultsIn(path string) int {
	text, _ := os.ReadFile(path) // a journal that is not there has none
	return bytes.Count(text, []byte("\n"+`{"kind":"result"`))
}

// The shards that a script measures, one of which is killed and finished by the command that merge shows, are what one
// machine measures.
func TestShardScript(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	const count, killed = 3, 1
	folder := farmSuite(t, 60)
	farmScript(t, folder, count)
	task := func(index int) *exec.Cmd {
		cmd := exec.Command(bash, filepath.Join(folder, "job.sh"))
		cmd.Env = append(e2e.Command(t).Env, fmt.Sprint("SLURM_ARRAY_TASK_ID=", index))
		return cmd
	}
	for index := range count {
		if index == killed {
			cmd := task(index)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			e2e.WaitFor(t, "three results", func() bool {
				return resultsIn(filepath.Join(folder, oddFolder, fmt.Sprint(index, ".ndjson"))) >= 3
			})
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			continue
		}
		if out, status := e2e.Output(t, task(index)); status == cli.ExitError {
			t.Fatalf("shard %d: status %d\n%s", index, status, out)
		}
	}
	out, status := e2e.RunsIn(t, folder, "merge", oddFolder, "-o", "all.ndjson")
	_, remedy, found := strings.Cut(out, "finish it:\n")
	if status != cli.ExitError || !found || !strings.Contains(out, fmt.Sprint("shard ", killed, ", ")) {
		t.Fatalf("merge of what is not complete: status %d\n%s", status, out)
	}
	remedy, _, _ = strings.Cut(remedy, "\n")
	again := exec.Command(bash, "-c", remedy)
	again.Dir, again.Env = folder, e2e.Command(t).Env
	if out, status := e2e.Output(t, again); status == cli.ExitError || !strings.Contains(out, "invocations are done; measuring") {
		t.Fatalf("%s: status %d\n%s", remedy, status, out)
	}
	if out, status := e2e.RunsIn(t, folder, "merge", oddFolder, "-o", "all.ndjson"); status != cli.ExitOK ||
		!strings.Contains(out, "wrote all.ndjson: 68 invocations of 3 shards") {
		t.Fatalf("status %d\n%s", status, out)
	}
	checkFarmed(t, folder, "all.ndjson")
	checkCosts(t, folder)
	if out, err := task(count).CombinedOutput(); err == nil || !strings.Contains(string(out), "counted from 0 to 2") {
		t.Errorf("a task too many: %v\n%s", err, out)
	}
	if words := strings.Fields(remedy); !slices.Contains(words, "--resume") {
		t.Errorf("the remedy is %s", remedy)
	}
}

// checkCosts checks that shards by the costs of a run are the plan, too.
func checkCosts(t *testing.T, folder string) {
	t.Helper()
	shown := map[string]int{} // lines of the plan
	for shard := range 2 {
		cmd := e2e.Command(t, "run", "wait.toml", "--shards=2", fmt.Sprint("--shard=", shard), "--costs=whole.ndjson", "--dry-run", "-q")
		cmd.Dir = folder
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if id, rest, _ := strings.Cut(line, " "); len(id) == 16 {
				shown[id+rest]++
			}
		}
	}
	if len(shown) != 68 {
		t.Errorf("two shards by costs have %d invocations of 68", len(shown))
	}
	for line, times := range shown {
		if times != 1 {
			t.Errorf("%d times in two shards: %s", times, line)
		}
	}
}
