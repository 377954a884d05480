package watching

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// closedVariable names the folder in which TestClosedFoldersCount, started again as another user, works.
const closedVariable = "ZONEMARK_TEST_CLOSED"

// TestClosedFoldersCount: native code can write to a folder that it may not list, and what is there counts. Root lists all
// folders, so another user tries it.
func TestClosedFoldersCount(t *testing.T) {
	scratch := os.Getenv(closedVariable)
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
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestClosedFoldersCount$")
		cmd.Dir, cmd.Env = folder, append(os.Environ(), closedVariable+"="+folder)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if scratch == "" {
		scratch = t.TempDir()
	}
	outside := t.TempDir()
	if err := os.Chmod(outside, 0); err != nil {
		t.Fatal(err)
	}
	const bytes = 1 << 20
	inner := filepath.Join(scratch, "closed", "inner")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "file"), make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(scratch, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{inner, filepath.Dir(inner)} {
		if err := os.Chmod(path, 0o300); err != nil {
			t.Fatal(err)
		}
	}
	w := &watch{limits: Limits{Scratch: scratch}}
	if got := w.scratchBytes(); got < bytes {
		t.Errorf("%d bytes count, of at least %d", got, bytes)
	}
	openFolder(scratch, filepath.Join(scratch, "link"))
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0 {
		t.Errorf("a link was followed: %v, %v", info, err)
	}
}
