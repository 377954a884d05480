package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/invocations/environ"
)

// The shipped examples are unpacked as they are, with the folders among them.
func TestUnpackExample(t *testing.T) {
	t.Parallel()
	cache := cachedir.Of(environ.OfProcess().With("ZONEMARK_HOME=" + t.TempDir()))
	folder, err := unpackExample(cache)
	if err != nil {
		t.Fatal(err)
	}
	folders := 0
	err = filepath.WalkDir("example", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			folders++
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("example", path)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		return nil
	})
	if err != nil || folders < 2 {
		t.Errorf("%d folders, %v", folders, err)
	}
	again, err := unpackExample(cache)
	if err != nil || again != folder {
		t.Errorf("again: %s instead of %s, %v", again, folder, err)
	}
}
