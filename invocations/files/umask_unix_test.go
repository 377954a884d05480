//go:build unix

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// New files obey the umask of their user; the permissions of a file that is there stay.
func TestUmask(t *testing.T) {
	for _, c := range []struct {
		umask       int
		asked, want fs.FileMode
	}{
		{0o077, 0o666, 0o600},
		{0o077, 0o644, 0o600},
		{0o022, 0o666, 0o644},
		{0o022, 0o600, 0o600},
		{0o000, 0o644, 0o644},
	} {
		path := filepath.Join(t.TempDir(), "file")
		defer syscall.Umask(syscall.Umask(c.umask))
		for _, kept := range []fs.FileMode{0, 0o604} {
			want := c.want
			if kept != 0 {
				if err := os.Chmod(path, kept); err != nil {
					t.Fatal(err)
				}
				want = kept
			}
			if err := Write(path, c.asked, []byte("x")); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%+v: %v, %v, want %v", c, info.Mode(), err, want)
			}
		}
	}
}
