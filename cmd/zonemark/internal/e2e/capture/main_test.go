// Package capture tests captures of Tracy's own client: how they are read, and joined to invocations.
package capture

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
