// Package hostile tests that native code stays in its sandbox, whatever it tries.
package hostile

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) {
	becomeLacking()
	e2e.Main(m, e2e.NotMeasuring...)
}
