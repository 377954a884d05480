// Package testneeds says what becomes of a test that lacks what it needs: a program, a runtime, a layer of the sandbox. It
// keeps what tests make for the next run, and starts tests again as another user. Only tests import it.
package testneeds

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Test is the part of testing.TB that is needed.
type Test interface {
	Helper()
	Fatal(args ...any)
	Skip(args ...any)
}

// Cache returns a folder below the cache that all tests of a user share. What takes long to make stays there for the next
// run, under a name that tells everything that it is made from.
func Cache(t Test, name string) string {
	t.Helper()
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("zonemark-test-cache-%d", os.Getuid()), name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Kept returns a folder of the cache, such as "python/pytest==9.0.2". If it is not there, fill makes its contents in a
// folder that then gets the name in one step, since other tests may make the same at the same time.
func Kept(t Test, name string, fill func(folder string) error) (folder string, err error) {
	t.Helper()
	folder = filepath.Join(Cache(t, filepath.Dir(name)), filepath.Base(name))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), "partial-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(partial)
	made := filepath.Join(partial, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		return "", err
	}
	if err := fill(made); err != nil {
		return "", err
	}
	if err := os.Rename(made, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return folder, nil
}

// Missing ends a test if err is not nil: the test is skipped, or fails under CI=true, where everything is there.
func Missing(t Test, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}
