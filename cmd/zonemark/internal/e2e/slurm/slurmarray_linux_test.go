package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/cmd/zonemark/internal/slurmtest"
)

// An array of twelve shards on three nodes of a Slurm cluster, of which one task is cancelled and one loses its node, is
// finished by Slurm itself and by submitting the same script again, and is what one machine measures.
func TestSlurmArray(t *testing.T) {
	t.Parallel()
	const shards, cancelled = 12, 1
	cluster := slurmtest.Start(t)
	folder := farmSuite(t, 180)
	farmScript(t, folder, shards, "--time=0:10:00", "--", "--comment=a comment")
	submit := func(args ...string) (job string) {
		cmd := cluster.Command("sbatch", append(append([]string{"--parsable"}, args...), filepath.Join(folder, "job.sh"))...)
		cmd.Env = append(e2e.Command(t).Env, cluster.Environment())
		out, status := e2e.Output(t, cmd)
		if status != 0 {
			t.Fatalf("sbatch: %s", out)
		}
		return strings.TrimSpace(out)
	}
	job := submit()
	journal := func(shard int) string { return filepath.Join(folder, oddFolder, fmt.Sprint(shard, ".ndjson")) }
	logOf := func(shard int) string {
		text, err := os.ReadFile(filepath.Join(folder, oddFolder, fmt.Sprint(shard, ".log")))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	e2e.WaitFor(t, "results of the task to cancel", func() bool { return resultsIn(journal(cancelled)) >= 2 })
	cluster.Output("scancel", fmt.Sprint(job, "_", cancelled))
	lost := -1                                                // the task that loses its node
	e2e.WaitFor(t, "a task on n3 with results", func() bool { // it runs for less than a second
		_, err := fmt.Sscan(cluster.Output("squeue", "-h", "-t", "R", "-w", "n3", "-o", "%K"), &lost)
		results := resultsIn(journal(lost))
		return err == nil && lost != cancelled && results >= 2 && results <= 6 // seconds before its end
	})
	cluster.Kill("n3")
	before := resultsIn(journal(lost))
	cluster.Output("scontrol", "update", "NodeName=n3", "State=down", "Reason=test") // as Slurm does after some minutes
	task := fmt.Sprint(job, "_", lost)
	waitForSlurm(t, "the task in the queue again", func() bool {
		return cluster.Output("squeue", "-h", "-j", task, "-o", "%T") == "PENDING"
	})
	cluster.Output("scontrol", "update", "JobId="+task, "StartTime=now") // it would wait for two minutes
	waitForSlurm(t, "the end of the array", func() bool { return cluster.Output("squeue", "-h") == "" })
	if log := logOf(lost); !strings.Contains(log, fmt.Sprintf(": %d of ", before)) {
		t.Errorf("shard %d had %d results when its node was lost, and went on with:\n%s", lost, before, log)
	}

	out, status := e2e.RunsIn(t, folder, "merge", oddFolder, "-o", "all.ndjson")
	if status != cli.ExitError || !strings.Contains(out, "1 shard not complete:\nshard 1, ") {
		t.Fatalf("merge without what the cancelled task lacks: status %d\n%s", status, out)
	}
	submit("--array=" + fmt.Sprint(cancelled))
	waitForSlurm(t, "the end of the cancelled task", func() bool { return cluster.Output("squeue", "-h") == "" })
	if out, status := e2e.RunsIn(t, folder, "merge", oddFolder, "-o", "all.ndjson"); status != cli.ExitOK ||
		!strings.Contains(out, "wrote all.ndjson: 188 invocations of 12 shards") {
		t.Fatalf("status %d\n%s", status, out)
	}
	checkFarmed(t, folder, "all.ndjson")
}
