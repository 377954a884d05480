//go:build !windows

package platform

import (
	"os/exec"
	"strings"
	"testing"
)

func TestKilled(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"exit 0", ""},
		{"echo 'f.c:1: error: Killed signal'; exit 1", ""},
		{"kill -9 $$", "signal: killed"},
		{"echo 'gcc: fatal error: Killed signal terminated program cc1'; echo 'compilation terminated.'; exit 1",
			"Killed signal terminated program cc1"},
		{"echo 'clang: error: unable to execute command: Killed'; exit 1", "unable to execute command: Killed"},
		{"echo 'clang: error: clang frontend command failed due to signal (use -v to see invocation)'; exit 1",
			"command failed due to signal (use -v to see invocation)"},
	} {
		out, err := exec.Command("/bin/sh", "-c", c.script).CombinedOutput()
		if got := Killed(err, string(out)); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.script, got, c.want)
		}
	}
}
