//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSupervised checks that the calls about files of a supervised child end as those of others do, and that those
// which the sandbox refuses are told, with their paths, and no others.
func TestSupervised(t *testing.T) {
	machineHas(t, AllLayers()...)
	for _, uid := range users() {
		w := newWorkplace(t, uid)
		home := filepath.Join(filepath.Dir(w.scratch), "home")
		for _, path := range []string{"key", "kernels/data"} {
			path = filepath.Join(home, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := w.spec(uid)
		s.Options.Hidden, s.Options.Supervise = []string{home}, true
		s.Options.Read = []string{filepath.Join(home, "kernels"), w.library}
		if err := unix.Mkfifo(filepath.Join(home, "kernels", "pipe"), 0o644); err != nil {
			t.Fatal(err)
		}
		c := start(t, s)
		c.do(t, "refused files") // of starting
		for _, one := range []struct{ action, outcome, refused string }{
			{"read " + home + "/key", "EACCES", "openat " + home + "/key false 1; false"},
			{"read " + home + "/kernels/data", "ok", "; false"},
			{"read " + home + "/kernels/none", "ENOENT", "; false"},
			{"list " + home, "EACCES", "openat " + home + " false 1; false"},
			{"read /proc/self/status", "ok", "; false"},
			{"write scratch", "ok", "; false"},
			{"write temporary", "ok", "; false"},
			{"write outside", "EROFS", "openat " + filepath.Join(s.Outside, "new") + " true 1; false"},
			{"write working directory", "ok", "; false"},
			{"generate code", "ok", "; false"},
			{"open beside signals", "ok", "; false"},
			{"fork", "EPERM", ""},
		} { // calls of Go are the executor's own, and do not count as calls that supervision slows down
			got := c.do(t, one.action)
			if got != one.outcome && one.outcome != "" {
				t.Errorf("uid %d: %s: %s, want %s", uid, one.action, got, one.outcome)
			}
			if told := c.do(t, "refused files"); told != one.refused && one.refused != "" {
				t.Errorf("uid %d: %s: told is %q, want %q", uid, one.action, told, one.refused)
			}
		}
		if _, err := os.Stat(filepath.Join(w.scratch, "new")); err != nil {
			t.Errorf("uid %d: what a supervised child has written is not there: %v", uid, err)
		}
	}
}
