package cachedir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"zonemark/invocations/environ"
)

// Folders of processes that were killed are removed, but not those of other machines that use the same cache, whose
// processes nobody can ask for here, unless they are old.
func TestTemporary(t *testing.T) {
	cache := Of(environ.Of("ZONEMARK_HOME=" + t.TempDir()))
	first, err := cache.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead := ended.Process.Pid
	old := time.Now().Add(-keepForeign - time.Hour)
	cases := []struct {
		name    string
		changed time.Time
		stays   bool
	}{
		{fmt.Sprintf("%d-%s-1", os.Getpid(), machine()), old, true},
		{fmt.Sprintf("%d-%s-1", dead, machine()), time.Now(), runtime.GOOS != "linux"},
		{fmt.Sprintf("%s-%s-1", process(os.Getpid()), machine()), old, true},
		{fmt.Sprintf("%d.1-%s-1", os.Getpid(), machine()), time.Now(), runtime.GOOS != "linux"}, // the number has returned
		{fmt.Sprintf("%d.1-%s-1", dead, machine()), time.Now(), runtime.GOOS != "linux"},
		{fmt.Sprintf("%d-0123abcd-1", dead), time.Now(), true},
		{fmt.Sprintf("%d-0123abcd-2", dead), old, false},
		{"other", old, true},
	}
	for _, c := range cases {
		path := filepath.Join(filepath.Dir(first), c.name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, c.changed, c.changed); err != nil {
			t.Fatal(err)
		}
	}
	second, err := cache.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{first, second} {
		if _, err := os.Stat(path); err != nil || first == second {
			t.Errorf("folders %q, %q: %v", first, second, err)
		}
	}
	for _, c := range cases {
		_, err := os.Stat(filepath.Join(filepath.Dir(first), c.name))
		if (err == nil) != c.stays {
			t.Errorf("%s, changed %v: %v; it stays: %v", c.name, c.changed.Format(time.DateOnly), err, c.stays)
		}
	}
}

// A process that has ended is gone, although nobody has waited for it.
func TestProcessThatEnded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell")
	}
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	defer ended.Wait()
	for end := time.Now().Add(20 * time.Second); process(ended.Process.Pid) != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is still there")
		}
	}
}
