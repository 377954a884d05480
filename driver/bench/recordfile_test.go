package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"zonemark/invocations/files"
)

func readRecords(t *testing.T, path string) []json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadList(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return list
}

// Records of PyBuda's benchmark keep their text, including unknown fields, order and numbers.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perf.json")
	old := `{"total_time": 1.0, "total_samples": 16384, "args": {"device":null,  "new":[1e400]}, ` +
		`"b":1, "a":12345678901234567890}`
	if err := os.WriteFile(path, []byte("["+old+"]"), 0o640); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		written, problem, err := Append(t.Context(), path, map[string]int{"n": i})
		if written != path || problem != nil || err != nil {
			t.Fatalf("written to %s, problem %v, error %v", written, problem, err)
		}
	}
	list := readRecords(t, path)
	if len(list) != 4 || string(list[0]) != old || string(list[3]) != `{"n":2}` {
		t.Errorf("%s", list)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the file: %v, error %v", entries, err)
	}
}

// Concurrent writers lose nothing.
func TestAppendAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perf.json")
	const writers, each = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				_, problem, err := Append(t.Context(), path, fmt.Sprintf("%d/%d", w, i))
				if problem != nil || err != nil {
					t.Errorf("problem %v, error %v", problem, err)
				}
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, record := range readRecords(t, path) {
		seen[string(record)] = true
	}
	if len(seen) != writers*each {
		t.Errorf("%d records, want %d", len(seen), writers*each)
	}
}

// unlockable is the operating system's files, on a file system without locks.
type unlockable struct{ files.System }

func (u unlockable) OpenFile(path string, flags int, mode fs.FileMode) (files.File, error) {
	f, err := os.OpenFile(path, flags, mode)
	return withoutLocks{f}, err
}

func (u unlockable) CreateTemp(folder, pattern string) (files.File, error) {
	return os.CreateTemp(folder, pattern)
}

func (u unlockable) Rename(from, to string) error   { return os.Rename(from, to) }
func (u unlockable) Remove(path string) error       { return os.Remove(path) }
func (u unlockable) SyncFolder(folder string) error { return nil }

// withoutLocks is a file that cannot be locked: flock refuses the descriptor.
type withoutLocks struct{ *os.File }

func (withoutLocks) Fd() uintptr { return math.MaxInt32 }

// A file system without locks has the record nevertheless; it used to be in no file.
func TestAppendWithoutLocks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its locks are on another file")
	}
	path := filepath.Join(t.TempDir(), "perf.json")
	t.Cleanup(files.Use(unlockable{}))
	for range 2 {
		written, problem, err := Append(t.Context(), path, map[string]int{"n": 1})
		if unlocked := new(files.UnsupportedError); written != path || err != nil || !errors.As(problem, &unlocked) {
			t.Errorf("written to %q, problem %v, error %v", written, problem, err)
		}
	}
	if list := readRecords(t, path); len(list) != 2 {
		t.Errorf("%s", list)
	}
}

// A file that cannot be read is left unchanged. A sibling receives this record and later ones.
func TestAppendUnreadable(t *testing.T) {
	for name, text := range map[string]string{
		"cut": `[{"a":1}`, "object": `{"a":1}`, "words": "hello", "null": "null", "more": "[1] [2]",
		"bytes": "\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "perf.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				written, problem, err := Append(t.Context(), path, 7)
				if err != nil || written != filepath.Join(dir, "post_error_perf.json") || problem == nil ||
					!strings.Contains(problem.Error(), path+": not a JSON list") {
					t.Fatalf("written to %s, problem %v, error %v", written, problem, err)
				}
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != text {
				t.Errorf("the file has become %q, error %v", data, err)
			}
			if list := readRecords(t, filepath.Join(dir, "post_error_perf.json")); len(list) != 2 {
				t.Errorf("%s", list)
			}
		})
	}
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "perf.json"), 0o755),
		os.WriteFile(filepath.Join(dir, "post_error_perf.json"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	written, problem, err := Append(t.Context(), filepath.Join(dir, "perf.json"), 7)
	if err == nil || problem == nil || written != "" ||
		!strings.Contains(err.Error(), "the record is in no file") {
		t.Errorf("written to %q, problem %v, error %v", written, problem, err)
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(`[{"total_time": 1.0, "args": {"x": null}}, {}]`))
	f.Add([]byte(""))
	f.Add([]byte("[1,[2],\"]\",null]"))
	f.Add([]byte("[1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadList(data)
		if err != nil {
			return
		}
		again, err := ReadList(writeList(append(list, []byte(`{"new":1}`))))
		if err != nil || len(again) != len(list)+1 {
			t.Fatalf("%d records became %d, error %v", len(list), len(again), err)
		}
		for i, record := range list {
			if !bytes.Equal(record, again[i]) {
				t.Errorf("%s became %s", record, again[i])
			}
		}
	})
}
