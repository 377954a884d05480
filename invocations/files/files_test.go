package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// left returns the unfinished files beside path.
func left(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), TemporaryPattern(path)))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReplaceKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	path := filepath.Join(t.TempDir(), "file")
	mode := func() fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if err := Write(path, 0o640, []byte("new")); err != nil || mode() != 0o640 || contents(t, path) != "new" {
		t.Errorf("a new file: %v, mode %v, %q", err, mode(), contents(t, path))
	}
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	err := Write(path, 0o640, []byte("re"), []byte("placed"))
	if err != nil || mode() != 0o604 || contents(t, path) != "replaced" {
		t.Errorf("a file that is there: %v, mode %v, %q", err, mode(), contents(t, path))
	}
}

func TestReplaceFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	if err := os.WriteFile(target, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, 0o644, []byte("after")); err != nil || contents(t, target) != "after" {
		t.Errorf("%v, the target holds %q", err, contents(t, target))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v, %v", info, err)
	}
}

func TestReplaceThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	failed := errors.New("no more")
	fail := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failed)
	}
	if err := Replace(path, 0o644, fail); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is there: %v", err)
	}
	if err := Write(path, 0o644, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, 0o644, fail); !errors.Is(err, failed) || contents(t, path) != "whole" {
		t.Errorf("error %v, the file holds %q", err, contents(t, path))
	}
	if names := left(t, path); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	if err := Write(filepath.Join(path, "inside"), 0o644, nil); err == nil {
		t.Error("a file was made inside a file")
	}
}

func TestPlace(t *testing.T) {
	folder := t.TempDir()
	finished, path := filepath.Join(folder, "finished"), filepath.Join(folder, "file")
	for _, text := range []string{"first", "second"} {
		if err := os.WriteFile(finished, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Place(finished, path, 0o644); err != nil || contents(t, path) != text {
			t.Errorf("%v, the file holds %q", err, contents(t, path))
		}
	}
	if err := Place(finished, path, 0o644); !errors.Is(err, fs.ErrNotExist) || contents(t, path) != "second" {
		t.Errorf("nothing to place: %v", err)
	}
}

// The variable that makes the test binary a writer, which TestKilledWriter kills.
const writerVariable = "FILES_TEST_WRITER"

// size is the size of a complete file. It is large enough that a write takes a while.
const size = 4 << 20

// TestWriter is the writer: it replaces the file until it is killed, each time with another byte.
func TestWriter(t *testing.T) {
	path := os.Getenv(writerVariable)
	if path == "" {
		t.Skip("this is the writer of TestKilledWriter")
	}
	for i := byte(0); ; i++ {
		if err := Write(path, 0o644, bytes.Repeat([]byte{i}, size)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilledWriter checks that a reader always sees a complete file, while a writer works and after it was killed.
func TestKilledWriter(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := Write(path, 0o644, make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	whole := func() {
		b, err := os.ReadFile(path)
		if err != nil || len(b) != size || bytes.Count(b, b[:1]) != size {
			t.Fatalf("the file is not whole: %d bytes, %v", len(b), err)
		}
	}
	for kill := range 8 {
		writer := exec.Command(program, "-test.run=^TestWriter$")
		writer.Env = append(os.Environ(), writerVariable+"="+path)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for now := before; os.SameFile(before, now); { // until it has begun
			whole()
			if now, err = os.Stat(path); err != nil {
				t.Fatal(err)
			}
		}
		for end := time.Now().Add(time.Duration(kill) * 3 * time.Millisecond); time.Now().Before(end); {
			whole()
		}
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := writer.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}
		whole()
	}
}

// TestSyncName: a name is synced in the folder that the file is in, and what has no name is no error.
func TestSyncName(t *testing.T) {
	folder := t.TempDir()
	synced := &recorded{}
	defer Use(synced)()
	target, link := filepath.Join(folder, "below", "file"), filepath.Join(folder, "link")
	if err := errors.Join(os.Mkdir(filepath.Dir(target), 0o777), os.WriteFile(target, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{target, link, filepath.Join(folder, "missing")} {
		if err := SyncName(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	below, err := filepath.EvalSymlinks(filepath.Dir(target))
	if want := []string{below, below}; err != nil || !slices.Equal(synced.folders, want) {
		t.Errorf("synced %q, want %q; %v", synced.folders, want, err)
	}
	if err := (operating{}).SyncFolder(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) &&
		runtime.GOOS != "windows" {
		t.Errorf("a folder that is missing: %v", err)
	}
}

// recorded is the operating system. It takes note of the folders that are synced.
type recorded struct {
	operating
	folders []string
}

func (r *recorded) SyncFolder(folder string) error {
	r.folders = append(r.folders, folder)
	return r.operating.SyncFolder(folder)
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	unlock, err := Lock(open())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(open()); !errors.Is(err, ErrLocked) {
		t.Errorf("the second lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if unlock, err = Lock(open()); err != nil {
		t.Fatalf("after the first was given up: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}
