//go:build amd64 || arm64

package seccomp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

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
		p := Filter(pid, c.options, c.judged)
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
