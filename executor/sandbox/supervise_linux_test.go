//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestSupervisingFilter checks which calls about files a filter sends to the arbiter: none of those that the arbiter makes.
func TestSupervisingFilter(t *testing.T) {
	const pid, ask = 4242, uint32(unix.SECCOMP_RET_USER_NOTIF)
	at := performed()
	if at == 0 {
		t.Fatal("the instruction with which the arbiter makes calls is not found")
	}
	for _, c := range []struct {
		options Options
		judged  bool
		number  uint32
		from    uint64
		want    uint32
	}{
		{Options{Supervise: true}, true, unix.SYS_OPENAT, 0, ask},
		{Options{Supervise: true}, true, unix.SYS_OPENAT, at, filterAllow},
		{Options{Supervise: true}, true, unix.SYS_OPENAT, at | 1<<32, ask},
		{Options{Supervise: true}, true, unix.SYS_TRUNCATE, 0, ask},
		{Options{Supervise: true}, true, unix.SYS_READ, 0, filterAllow},
		{Options{Supervise: true}, false, unix.SYS_OPENAT, 0, filterAllow},
		{Options{}, true, unix.SYS_OPENAT, 0, filterAllow},
	} {
		p := filter(pid, c.options, c.judged)
		call := systemCall{number: c.number, architecture: filterArchitecture, from: c.from}
		if got := run(t, p, call); got != c.want {
			t.Errorf("%s: %#x, want %#x", fmt.Sprint(c), got, c.want)
		}
	}
	// In each supervised call the path is one of its arguments.
	var paths, folders []string
	for number, call := range supervised() {
		if call.name == "" || call.path > 1 {
			paths = append(paths, fmt.Sprint(number))
		}
		if len(call.folders) == 0 && call.path != 0 {
			folders = append(folders, call.name)
		}
	}
	if diff := cmp.Diff([2][]string{}, [2][]string{paths, folders}); diff != "" {
		t.Errorf("calls without a name, a path or a folder:\n%s", diff)
	}
}
