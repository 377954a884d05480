//go:build !unix

package command

import (
	"os"
	"strconv"

	"zonemark/executor"
)

// addUsage adds nothing: this system counts neither page faults nor memory of a process that has ended.
func addUsage(*executor.Used, *os.ProcessState) {}

// ownPeak returns 0: it is not needed.
func ownPeak() int64 { return 0 }

// ending returns how a process ended: its exit status.
func ending(state *os.ProcessState) string { return strconv.Itoa(state.ExitCode()) }
