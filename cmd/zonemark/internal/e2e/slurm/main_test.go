// Package slurm tests runs on a Slurm cluster of the tests' own.
package slurm

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, e2e.NotMeasuring...) }
