package cachedir

import (
	"os"
	"path/filepath"
	"testing"

	"zonemark/invocations/environ"
	"zonemark/invocations/testneeds"
)

// TestClosedFolders: native code of a run that was killed has left folders that nobody may enter. The next run removes
// them: it ended with an error, and so did every later one. Root may enter them, so another user tries it.
func TestClosedFolders(t *testing.T) {
	home, done := testneeds.FolderOfAnotherUser(t)
	if done {
		return
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
