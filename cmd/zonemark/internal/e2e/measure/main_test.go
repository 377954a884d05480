// Package measure tests what launches of functions measure and what verbs say of them, with executors in processes.
package measure

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
