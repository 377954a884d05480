package docs

import (
	"os/exec"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations/testneeds"
)

// TestFunctionsPage runs every command of docs/functions.md.
func TestFunctionsPage(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("cc")
	testneeds.Missing(t, err)
	p := e2e.ReadPage(t, e2e.Top(t, "docs", "functions.md"))
	if len(p.Commands) < 10 || len(p.Files) < 4 {
		t.Fatalf("the page shows %d commands and %d files", len(p.Commands), len(p.Files))
	}
	p.Run(t, e2e.Command(t).Env)
}
