//go:build unix

package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReplaceWritesToPipes checks that a path that is not a regular file is written to and stays what it is, also
// behind a link.
func TestReplaceWritesToPipes(t *testing.T) {
	folder := t.TempDir()
	pipe, link := filepath.Join(folder, "pipe"), filepath.Join(folder, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		read := make(chan string)
		go func() {
			text, _ := os.ReadFile(pipe)
			read <- string(text)
		}()
		err := Replace(path, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, "text")
			return err
		})
		if got := <-read; err != nil || got != "text" {
			t.Errorf("%s: %q arrived, %v", path, got, err)
		}
		if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Errorf("%s is no pipe any more: %v, %v", pipe, info, err)
		}
		if names := left(t, pipe); len(names) > 0 {
			t.Errorf("unfinished files are left: %v", names)
		}
	}
}
