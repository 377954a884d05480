package testneeds

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// nobody is the number of a user who owns nothing.
const nobody = 65534

// folderVariable names the folder in which a test that was started again works.
const folderVariable = "ZONEMARK_TEST_ANOTHER_USER"

// FolderOfAnotherUser returns an empty folder of the user who runs the test, for tests of modes, which do not hold for
// root. Root starts the test again as another user, and is told that nothing is left to do.
func FolderOfAnotherUser(t *testing.T) (folder string, done bool) {
	t.Helper()
	if os.Getuid() != 0 {
		if folder = os.Getenv(folderVariable); folder == "" {
			folder = t.TempDir()
		}
		return folder, false
	}
	folder, err := os.MkdirTemp("", "zonemark-user-") // not t.TempDir: other users cannot enter its folders
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chown(folder, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), folderVariable+"="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	return "", true
}
