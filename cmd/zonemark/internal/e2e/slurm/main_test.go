// Package slurm tests runs on a Slurm cluster of the tests' own.
package slurm

import (
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, e2e.NotMeasuring...) }

// waitForSlurm waits as e2e.WaitFor does. It asks a few times a second, since each question starts a program of Slurm.
func waitForSlurm(t *testing.T, what string, done func() bool) {
	t.Helper()
	e2e.WaitEvery(t, 100*time.Millisecond, what, done)
}
