package filehash

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestCheck changes one of two files in ways of which each is noticed.
func TestCheck(t *testing.T) {
	long := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, path string)
		wrong  string
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"a byte", func(t *testing.T, path string) { write(t, path, "twX", time.Now()) }, " has been changed since"},
		{"a byte, and the time is set back", func(t *testing.T, path string) { write(t, path, "twX", long) },
			" has been changed since"},
		{"the time", func(t *testing.T, path string) { write(t, path, "two", time.Now()) }, ""},
		{"the size", func(t *testing.T, path string) { write(t, path, "three", long) }, " has 5 bytes, and had 3"},
		{"gone", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, " is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			memory, path := filepath.Join(folder, "memory"), filepath.Join(folder, "two")
			list := []File{{filepath.Join(folder, "one"), sumOf("one"), 3}, {path, sumOf("two"), 3}}
			write(t, list[0].Path, "one", long)
			write(t, path, "two", long)
			if wrong := check(memory, list, 0); wrong != "" {
				t.Fatalf("before: %s", wrong)
			}
			if _, err := os.Stat(memory); err != nil {
				t.Fatal(err)
			}
			before := stateOf(t, path)
			for deadline := time.Now().Add(time.Minute); ; { // the system's clock for files has steps of milliseconds
				c.change(t, path)
				if c.name == "nothing" || stateOf(t, path) != before {
					break
				}
				if time.Now().After(deadline) {
					t.Skip("this system tells nothing of such a change")
				}
			}
			wrong := check(memory, list, 0)
			if (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
				t.Errorf("%q, want %q", wrong, c.wrong)
			}
			if wrong != "" && !strings.HasPrefix(wrong, path) {
				t.Errorf("%q does not name %s", wrong, path)
			}
		})
	}
}

// stateOf returns what tells whether a file has changed, without its content.
func stateOf(t *testing.T, path string) remembered {
	t.Helper()
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return remembered{}
	}
	if err != nil {
		t.Fatal(err)
	}
	return describe(path, info)
}

// TestCheckRemembers checks that files whose state is known are not read again, that another list is, and that files
// that have just changed are not remembered.
func TestCheckRemembers(t *testing.T) {
	folder := t.TempDir()
	memory, path := filepath.Join(folder, "memory"), filepath.Join(folder, "one")
	write(t, path, "one", time.Now().Add(-time.Hour))
	list := []File{{path, sumOf("one"), 3}}
	if wrong := check(memory, list, time.Hour); wrong != "" {
		t.Fatal(wrong)
	}
	if _, err := os.Stat(memory); runtime.GOOS == "linux" && err == nil {
		t.Error("a file that has just changed is remembered")
	}
	for range 2 { // with and without a memory
		if wrong := check(memory, list, 0); wrong != "" {
			t.Fatal(wrong)
		}
	}
	text, err := os.ReadFile(memory)
	if err != nil {
		t.Fatal(err)
	}
	other := []File{{path, sumOf("two"), 3}}
	if wrong := check(memory, other, 0); !strings.Contains(wrong, "changed") {
		t.Errorf("another hash: %q", wrong)
	}
	if err := os.WriteFile(memory, []byte(strings.Repeat("0", 64)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if wrong := check(memory, list, 0); wrong != "" {
		t.Errorf("with a damaged memory: %s", wrong)
	}
	if after, err := os.ReadFile(memory); err != nil || string(after) != string(text) {
		t.Errorf("the memory %q was not made anew: %q, %v", text, after, err)
	}
}
