//go:build linux

package slurmtest

import (
	"strings"
	"testing"
)

// Each node runs what is meant for it; a node that is killed takes its work with it, and comes back.
func TestCluster(t *testing.T) {
	c := Start(t)
	for _, node := range Nodes {
		if got := c.Output("srun", "-N1", "-w", node, "sh", "-c", "echo $SLURMD_NODENAME"); got != node {
			t.Errorf("%q ran what was meant for %s", got, node)
		}
	}
	c.Drain("n2")
	c.Await("n2", "drained")
	c.Resume("n2")
	c.Await("n2", "idle")

	long := c.Command("srun", "-u", "-N1", "-w", "n1", "sh", "-c", "echo begun; sleep 1000")
	out, err := long.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := long.Start(); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 6)
	if n, err := out.Read(text); err != nil || !strings.HasPrefix("begun\n", string(text[:n])) {
		t.Fatalf("read %q: %v", text[:n], err)
	}
	c.await("slurmstepd, the shell and sleep run", func() bool { return len(c.processes("n1")) >= 3 })
	c.Kill("n1")
	if left := c.processes("n1"); len(left) > 0 {
		t.Errorf("processes of n1 after its end: %v", left)
	}
	_ = long.Process.Kill() // it may wait for the node
	_ = long.Wait()         // it was killed
	c.Restart("n1")
	c.Output("scancel", "--user=root")
	c.Await("n1", "idle")
}
