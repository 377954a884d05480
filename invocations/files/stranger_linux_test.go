package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadStranger reads what strangers may leave in place of a file. /proc/self/pagemap is a regular file of the kernel
// with 256 GiB.
func TestReadStranger(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	for _, err := range []error{
		os.WriteFile(in("file"), []byte("text"), 0o600), os.Symlink("file", in("link")), syscall.Mkfifo(in("pipe"), 0o600),
		os.Symlink("/proc/self/pagemap", in("endless")), os.Symlink("/dev/zero", in("device")),
		os.Symlink("circle", in("circle")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"file": "text", "link": "text", "endless": ""} {
		if text, err := ReadStranger(in(name), 4); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"pipe", "device", "."} {
		if _, err := ReadStranger(in(name), 4); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var long *TooLongError
	if _, err := ReadStranger(in("file"), 3); !errors.As(err, &long) || !strings.Contains(err.Error(), "4 bytes") {
		t.Errorf("a long file: %v", err)
	}
	for _, name := range []string{"circle", "none"} {
		if _, err := ReadStranger(in(name), 4); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
