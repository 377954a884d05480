package cachedir

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"zonemark/invocations/environ"
)

// closedVariable names the folder in which TestClosedFolders, started again as another user, works.
const closedVariable = "ZONEMARK_TEST_CLOSED"

// TestClosedFolders: native code of a run that was killed has left folders that nobody may enter. The next run removes
// them: it ended with an error, and so did every later one. Root may enter them, so another user tries it.
func TestClosedFolders(t *testing.T) {
	home := os.Getenv(closedVariable)
	if os.Getuid() == 0 {
		folder, err := os.MkdirTemp("", "zonemark-closed-") // not t.TempDir: other users cannot enter its folders
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(folder) })
		const nobody = 65534
		if err := os.Chown(folder, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestClosedFolders$")
		cmd.Dir, cmd.Env = folder, append(os.Environ(), closedVariable+"="+folder)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if home == "" {
		home = t.TempDir()
	}
	cache := Of(environ.Of("ZONEMARK_HOME=" + home))
	scratch, err := cache.Folder("scratch")
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(scratch, "4194305-"+machine()+"-1") // no process has this number
	for _, path := range []string{"closed/inside", "open/closed/inside"} {
		path = filepath.Join(left, path)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(path), 0); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := cache.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(scratch)
	if err != nil || len(entries) != 1 || filepath.Join(scratch, entries[0].Name()) != folder {
		t.Errorf("%v, %v, want %s alone", entries, err, folder)
	}
}
