package remote

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"zonemark/invocations/wire"
)

// sourceOf writes a file and returns it as one to push.
func sourceOf(t *testing.T, text string) Source {
	t.Helper()
	local := filepath.Join(t.TempDir(), "local")
	if err := os.WriteFile(local, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Source{wire.File{Path: "a", SHA256: sumOf([]byte(text)), Bytes: int64(len(text))}, local}
}

// What has changed in the store, though it has the size that it had, is brought again.
func TestDamagedStore(t *testing.T) {
	source := sourceOf(t, "whole")
	store := &Store{Root: t.TempDir(), Folder: t.TempDir()}
	kept := store.kept(source.SHA256)
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, []byte("whose"), 0o644); err != nil {
		t.Fatal(err)
	}
	missing, err := store.Place([]wire.File{source.File})
	if err != nil || len(missing) != 1 {
		t.Fatalf("damaged, and missing are %v, %v", missing, err)
	}
	store.Take(&wire.Piece{SHA256: source.SHA256, Bytes: []byte("whole"), Last: true})
	if missing, err = store.Place([]wire.File{source.File}); err != nil || len(missing) > 0 {
		t.Fatalf("brought again, and missing are %v, %v", missing, err)
	}
	if got, err := os.ReadFile(filepath.Join(store.Folder, "a")); err != nil || string(got) != "whole" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(filepath.Join(store.Folder, "a")); err != nil {
		t.Fatal(err)
	}
	// Another session prunes it after this one has looked at it.
	store.placed = nil
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if missing, err = store.Place([]wire.File{source.File}); err != nil || len(missing) != 1 {
		t.Errorf("pruned meanwhile, and missing are %v, %v", missing, err)
	}
}

// A program that is damaged on the other side is brought again.
func TestDamagedProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	options := Options{Via: "env", Build: "test", Program: &Program{Path: self, Beside: self}, Verb: "host",
		Variables: []string{"PATH=" + os.Getenv("PATH"), hostVariable + "=" + folder, "ZONEMARK_HOME=" + folder}}
	whole, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		s, err := Dial(t.Context(), options)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		s.Close()
		list, err := filepath.Glob(filepath.Join(folder, "remote", "bin", "*", "zonemark"))
		if err != nil || len(list) != 1 {
			t.Fatalf("binaries %v, %v", list, err)
		}
		if got, err := os.ReadFile(list[0]); err != nil || !bytes.Equal(got, whole) {
			t.Fatalf("round %d: %d bytes, %v", round, len(got), err)
		}
		if err := os.Truncate(list[0], int64(len(whole)/2)); err != nil {
			t.Fatal(err)
		}
	}
}

// Files that no session has used for a month are removed, as are parts of files that never came whole. The others stay,
// the running program among them.
func TestPrune(t *testing.T) {
	folder := t.TempDir()
	const day = 24 * time.Hour
	ages := map[string]time.Duration{
		"files/aa/aaold": 31 * day, "files/aa/aanew": 29 * day, "files/bb/part-1": 2 * day, "files/bb/part-2": time.Hour,
		"bin/old/zonemark": 40 * day, "bin/own/zonemark": 40 * day, "bin/new/zonemark": day,
		"sessions/1-x/old": 90 * day,
	}
	write := func() {
		for name, age := range ages {
			path := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Now(), time.Now().Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(gone ...string) {
		t.Helper()
		want := map[string]bool{}
		for _, name := range gone {
			want[name] = true
		}
		for name := range ages {
			if _, err := os.Stat(filepath.Join(folder, name)); (err != nil) != want[name] {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	own := filepath.Join(folder, "bin/own/zonemark")
	prune := func() {
		t.Helper()
		if err := Prune(folder, own); err != nil {
			t.Fatal(err)
		}
	}
	write()
	prune()
	check("files/aa/aaold", "files/bb/part-1", "bin/old/zonemark")
	write()
	prune() // it has looked already today
	check()
	if err := os.Chtimes(filepath.Join(folder, "pruned"), time.Now(), time.Now().Add(-2*day)); err != nil {
		t.Fatal(err)
	}
	if err := used(filepath.Join(folder, "files/aa/aaold")); err != nil {
		t.Fatal(err)
	}
	prune()
	check("files/bb/part-1", "bin/old/zonemark")
}
