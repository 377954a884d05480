// Package hosts tests verbs whose measurements are made on other hosts, over ssh servers of the tests' own.
package hosts

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
