package main

import (
	"os/exec"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
)

// A shell that evaluates what "setup --env" prints knows where IREE is.
func TestSetupEnvironment(t *testing.T) {
	iree := setuptest.IREE(t)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("no POSIX shell: %v", err)
	}
	tell := e2e.Command(t, "setup", "--env")
	tell.Env = append(tell.Env, iree.Environment()...)
	lines, err := tell.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range iree.Environment() {
		name, want, _ := strings.Cut(entry, "=")
		cmd := exec.Command(shell, "-c", string(lines)+`printf '%s' "$`+name+`"`)
		cmd.Env = []string{name + "=stale"}
		if got, err := cmd.Output(); err != nil || string(got) != want {
			t.Errorf("$%s is %q, error %v; want %q", name, got, err, want)
		}
	}
}
