package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"zonemark/driver/environ"
	"zonemark/driver/setup"
)

// ireeForTests is IREE as users have it: that of the environment variables, which .ci/run sets to what "zonemark setup" installed, or that in the
// user's cache. In CI it must be there.
func ireeForTests(t testing.TB) setup.IREE {
	t.Helper()
	found, err := setup.FindIREE(setup.Options{Variables: environ.OfProcess()})
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return found
}

// A shell that evaluates what "setup --env" prints knows where IREE is.
func TestSetupEnvironment(t *testing.T) {
	iree := ireeForTests(t)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("no POSIX shell: %v", err)
	}
	tell := command(t, "setup", "--env")
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
