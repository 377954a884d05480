package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"zonemark/cmd/zonemark/internal/slurmtest"
)

// place is where the runs of a round measure.
type place struct {
	name      string
	via       []string // commands that lead to hosts; none: this machine
	variables []string // of the run, NAME=VALUE
	within    []string // command that the run is started by
}

// findPlaces fills s.places with those that this machine has. It says why others are left out.
func (s *soak) findPlaces(program *slurmtest.Program) error {
	s.places = []place{{name: "this machine"}}
	if why := slurmtest.Missing(); why != "" {
		fmt.Printf("soak: nodes of Slurm are left out: %s\n", why)
	} else {
		s.cluster = slurmtest.Start(program)
		p := place{name: "Slurm", variables: []string{s.cluster.Environment()}}
		for _, node := range slurmtest.Nodes {
			p.via = append(p.via, fmt.Sprintf("srun -u -N1 -w %s env ZONEMARK_HOME=%s", node, s.in("hosts", node)))
		}
		s.places = append(s.places, p)
	}
	network, why, err := startNetwork(s.in("network"), s.in("hosts", "ssh"))
	if err != nil {
		return err
	}
	if why != "" {
		fmt.Printf("soak: a network that is cut is left out: %s\n", why)
		return nil
	}
	program.Cleanup(network.stop)
	s.network = network
	s.places = append(s.places, place{name: "ssh", via: []string{network.login, network.login}, within: network.enter()})
	return nil
}

// mend makes all hosts reachable, and checks that no job is left.
func (s *soak) mend() error {
	switch s.place.name {
	case "ssh":
		return s.network.set("up")
	case "Slurm":
		if err := s.awaitJobs(); err != nil {
			return err
		}
		for _, node := range slurmtest.Nodes {
			s.cluster.Await(node, "idle")
		}
	}
	return nil
}

// awaitJobs waits until Slurm has no jobs. A job without a step, whose srun was killed between getting its node and
// beginning anything there, is none of zonemark's: Slurm keeps it until somebody cancels it.
func (s *soak) awaitJobs() error {
	cancelled := false
	for end := time.Now().Add(graceTime); ; time.Sleep(50 * time.Millisecond) {
		jobs := s.cluster.Output("squeue", "-h")
		switch {
		case jobs == "":
			return nil
		case time.Now().Before(end):
		case cancelled || s.cluster.Output("squeue", "-h", "-s") != "":
			return fmt.Errorf("jobs are left:\n%s", jobs)
		default:
			fmt.Printf("soak: cancelled, as they have no step:\n%s\n", jobs)
			for line := range strings.Lines(jobs) {
				s.cluster.Output("scancel", strings.Fields(line)[0])
			}
			cancelled, end = true, time.Now().Add(graceTime)
		}
	}
}

// loseNode takes the power from a node while the run goes on, and gives it back.
func loseNode(s *soak, _ int) error {
	node := slurmtest.Nodes[s.rng.IntN(len(slurmtest.Nodes))]
	s.cluster.Kill(node)
	s.abandoned = true
	s.pause(2 * time.Second)
	s.cluster.Restart(node)
	return nil
}

// drainNode forbids new work on a node for a while.
func drainNode(s *soak, _ int) error {
	node := slurmtest.Nodes[s.rng.IntN(len(slurmtest.Nodes))]
	s.cluster.Drain(node)
	s.pause(2 * time.Second)
	s.cluster.Resume(node)
	return nil
}

// cutNetwork lets no byte through for a while. Within three seconds, the connections survive; later, both sides know
// that they are lost.
func cutNetwork(s *soak, _ int) error {
	if err := s.network.set("down"); err != nil {
		return err
	}
	s.pause(3 * time.Second)
	return s.network.set("up")
}

// killConnection kills one of the commands that lead to hosts, or a host's process at the other side.
func killConnection(s *soak, driver int) error {
	var found []int
	for _, p := range s.processes() {
		word, _, _ := strings.Cut(p.command, " ")
		if name := filepath.Base(word); p.id != driver && (name == "ssh" || name == "srun") ||
			strings.HasPrefix(p.program, s.in("hosts")) && !strings.Contains(p.command, "--role=") {
			found = append(found, p.id)
		}
	}
	if len(found) == 0 {
		return nil
	}
	s.abandoned = true
	return syscall.Kill(found[s.rng.IntN(len(found))], syscall.SIGKILL)
}

// revisit has every host measure again if a host's process was killed: the next session removes what such a one leaves.
func (s *soak) revisit() error {
	if !s.abandoned {
		return nil
	}
	if err := os.Remove(s.journal()); err != nil {
		return err
	}
	cmd := s.start(s.command())
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the run that visits all hosts again: %w: %s", err, s.output.String())
	}
	return nil
}

// pause waits for a random time with this mean, and tells people of it.
func (s *soak) pause(mean time.Duration) {
	lasts := time.Duration(s.rng.ExpFloat64() * float64(mean))
	s.detail = fmt.Sprintf(" for %d ms", lasts.Milliseconds())
	time.Sleep(lasts)
}
