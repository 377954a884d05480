package watching

import (
	"os"
	"path/filepath"
	"testing"

	"zonemark/invocations/testneeds"
)

// TestClosedFoldersCount: native code can write to a folder that it may not list, and what is there counts. Root lists all
// folders, so another user tries it.
func TestClosedFoldersCount(t *testing.T) {
	scratch, done := testneeds.FolderOfAnotherUser(t)
	if done {
		return
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
