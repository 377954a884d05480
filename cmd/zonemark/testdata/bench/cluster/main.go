//go:build linux

// Command cluster runs a command with a Slurm cluster of its own: "cluster COMMAND..." starts three nodes on this host,
// sets SLURM_CONF for the command, and ends them after it. It exits with the status of the command, or with 77 if there
// can be no cluster here.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"zonemark/cmd/zonemark/internal/slurmtest"
)

// unable is the exit status where Slurm is not installed or may not run.
const unable = 77

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "cluster: want COMMAND...")
		os.Exit(2)
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM) // the command ends of it, and then the cluster
	var program slurmtest.Program
	var failed *exec.ExitError
	switch err := program.Run(func() error { return run(&program, os.Args[1:]) }); {
	case errors.As(err, &failed):
		os.Exit(failed.ExitCode())
	case errors.Is(err, slurmtest.ErrUnable):
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(unable)
	case err != nil:
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(p *slurmtest.Program, args []string) error {
	cmd := slurmtest.Start(p).Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
