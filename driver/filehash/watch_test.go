package filehash

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	long := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, path string)
		changed bool
	}{
		{"nothing", func(*testing.T, string) {}, false},
		{"the date", func(t *testing.T, path string) { write(t, path, "two", time.Now()) }, false},
		{"a byte, and the date is set back", func(t *testing.T, path string) { write(t, path, "twX", long) }, true},
		{"another file of the same content in its place", func(t *testing.T, path string) {
			write(t, path+".new", "two", long)
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"another file in its place", func(t *testing.T, path string) {
			write(t, path+".new", "six", long)
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"it is gone", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		folder := t.TempDir()
		one, two, none := filepath.Join(folder, "one"), filepath.Join(folder, "two"), filepath.Join(folder, "none")
		write(t, one, "one", long)
		write(t, two, "two", long)
		var w Watch
		if got := w.Changed(two); got != "" {
			t.Errorf("%s: %s has changed before anybody looked", c.name, got)
		}
		w.Look(one, two, none, folder)
		c.change(t, two)
		for range 2 { // also when it is asked again
			w.Look(two) // it is known already
			want := ""
			if c.changed {
				want = two
			}
			if got := w.Changed(one, two, none, folder); got != want {
				t.Errorf("%s: changed is %q, want %q", c.name, got, want)
			}
		}
		if got := w.Changed(one); got != "" {
			t.Errorf("%s: %s has not changed", c.name, got)
		}
	}
}
