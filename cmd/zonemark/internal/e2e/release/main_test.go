// Package release tests what is published: archives, wheels, the Python package and the action for workflows.
package release

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
