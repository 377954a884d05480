package pjrt

import (
	"path/filepath"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestScripts(t *testing.T) { e2e.Scripts(t, filepath.Join("testdata", "script")) }
