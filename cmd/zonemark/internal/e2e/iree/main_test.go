// Package iree tests modules, dispatches and profiles with the installed IREE.
package iree

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
