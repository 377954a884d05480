package command

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// A full disk is named as such, whatever Python makes of it.
func TestNoRoom(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "venv")
	for _, c := range []struct {
		tail string
		full bool
	}{
		{"OSError: [Errno 28] No space left on device: 'pip'", true},
		{"OSError: [Errno 122] Disk quota exceeded", true},
		{"The virtual environment was not created successfully because ensurepip is not available.", false},
	} {
		failed := &Error{Command: "python", Tail: []string{c.tail}, Err: errors.New("exit status 1")}
		err := NoRoom(failed, folder)
		if (err != nil) != c.full {
			t.Errorf("%s: %v", c.tail, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "no room on the disk") || !errors.Is(err, failed)) {
			t.Errorf("%v", err)
		}
	}
}
