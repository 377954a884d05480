package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, text string, changed time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

// hashed returns the hash by a Hasher of a new run, for which a file is big from three bytes on.
func hashed(t *testing.T, folder, path string) string {
	t.Helper()
	h := New(folder)
	h.least = 3
	sum, err := h.SHA256(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.SHA256(path)
	if err != nil || again != sum {
		t.Fatalf("%s, %v, and before %s", again, err, sum)
	}
	return sum
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func entries(t *testing.T, folder string) int {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(list)
}

func TestRemembered(t *testing.T) {
	t.Parallel()
	folder, path := filepath.Join(t.TempDir(), "hashes"), filepath.Join(t.TempDir(), "plugin.so")
	old := time.Now().Add(-time.Hour)
	write(t, path, "one", old)
	if got := hashed(t, folder, path); got != sumOf("one") {
		t.Fatalf("hash %s", got)
	}
	if n := entries(t, folder); n != 1 {
		t.Fatalf("%d hashes are remembered", n)
	}
	place := New(folder).place(path)
	stored, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	// Only a hash that is not the file's proves that the file was not read again.
	forged := strings.Replace(string(stored), sumOf("one"), sumOf("forged"), 1)
	if err := os.WriteFile(place, []byte(forged), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := hashed(t, folder, path); got != sumOf("forged") {
		t.Errorf("the hash was not remembered: %s", got)
	}
	if write(t, path, "two", old); runtime.GOOS == "linux" { // size and time of modification are as before
		if got := hashed(t, folder, path); got != sumOf("two") {
			t.Errorf("a change that hides the time of modification is not seen: %s", got)
		}
	}
	for _, c := range []struct {
		text    string
		changed time.Time
	}{{"two", old.Add(time.Second)}, {"three", old.Add(time.Second)}} {
		write(t, path, c.text, c.changed)
		if got := hashed(t, folder, path); got != sumOf(c.text) {
			t.Errorf("%s, another file than before, has hash %s", c.text, got)
		}
	}
	other := filepath.Join(t.TempDir(), "moved.so")
	if err := os.Rename(path, other); err != nil {
		t.Fatal(err)
	}
	if got := hashed(t, folder, other); got != sumOf("three") {
		t.Errorf("moved, it has hash %s", got)
	}
	if n := entries(t, folder); n != 2 {
		t.Errorf("%d hashes are remembered of two paths", n)
	}
}

func TestNotRemembered(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name, text string
		changed    time.Time
	}{
		{"small", "ab", old},
		{"just changed", "abc", time.Now()},
		{"from the future", "abc", time.Now().Add(time.Hour)},
	} {
		folder, path := filepath.Join(t.TempDir(), "hashes"), filepath.Join(t.TempDir(), "file")
		write(t, path, c.text, c.changed)
		if got := hashed(t, folder, path); got != sumOf(c.text) || entries(t, folder) != 0 {
			t.Errorf("%s: hash %s, %d remembered", c.name, got, entries(t, folder))
		}
	}
}

// TestDamagedMemory checks that a file is hashed if the stored hash is damaged, or if the folder is not a folder.
func TestDamagedMemory(t *testing.T) {
	t.Parallel()
	folder, path := filepath.Join(t.TempDir(), "hashes"), filepath.Join(t.TempDir(), "file")
	write(t, path, "abc", time.Now().Add(-time.Hour))
	hashed(t, folder, path)
	place := New(folder).place(path)
	whole, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	otherHash := strings.Replace(string(whole), sumOf("abc"), "77", 1)
	otherPath := strings.Replace(string(whole), path, path+"x", 1)
	for _, text := range []string{"", "{", otherHash, otherPath} {
		write(t, place, text, time.Now())
		if got := hashed(t, folder, path); got != sumOf("abc") {
			t.Errorf("with %q: %s", text, got)
		}
	}
	for _, folder := range []string{path, ""} {
		if got := hashed(t, folder, path); got != sumOf("abc") {
			t.Errorf("with the folder %q: %s", folder, got)
		}
	}
	if _, err := New(folder).SHA256(folder); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := New(folder).SHA256(path + "gone"); err == nil {
		t.Error("a file that is not there has a hash")
	}
}
