package slurm

import (
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/cmd/zonemark/internal/slurmtest"
)

// Three real nodes share a run. One is drained meanwhile, and another loses its power: every result is there once, and
// what the lost node had is measured by others.
func TestViaSlurm(t *testing.T) {
	t.Parallel()
	c := slurmtest.Start(t)
	args := e2e.ViaKernel(t, t.TempDir())
	for _, node := range slurmtest.Nodes {
		args = append(args, "--via", "srun -u -N1 -w "+node)
	}
	home := t.TempDir()
	r := e2e.StartVia(t, []string{c.Environment(), "ZONEMARK_HOME=" + home}, args...)
	r.AwaitResults(4)
	c.Drain("n2")
	c.Kill("n3")
	if status := r.Wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, &r.Stderr)
	}
	hosts := r.Complete()
	if hosts["n1"] == 0 || hosts["n2"] == 0 || hosts["n1"]+hosts["n2"]+hosts["n3"] != e2e.ViaInvocations {
		t.Errorf("results by host: %v", hosts)
	}
	if !strings.Contains(r.Stderr.String(), "host n3") {
		t.Errorf("nothing is said of n3:\n%s", &r.Stderr)
	}
	// A job is "completing" for a while when srun has ended.
	waitForSlurm(t, "the end of the jobs on n1 and n2", func() bool {
		left := c.Output("squeue", "-h")
		return !strings.Contains(left, " n1") && !strings.Contains(left, " n2")
	})
}
