package python

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The binary carries every source file of the package, in folders of any depth.
func TestFiles(t *testing.T) {
	count := 0
	err := fs.WalkDir(os.DirFS("."), "zonemark", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".py" {
			return err
		}
		count++
		want, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			return err
		}
		if got, err := fs.ReadFile(Files(), path); err != nil || string(got) != string(want) {
			t.Errorf("%s is not carried as it is: %v; add its folder to the pattern in files.go", path, err)
		}
		return nil
	})
	if err != nil || count < 10 {
		t.Errorf("%d files were found, error %v", count, err)
	}
	err = fs.WalkDir(Files(), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, ".py") {
			t.Errorf("%s is carried", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
