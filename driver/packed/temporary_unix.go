//go:build unix

package packed

import (
	"errors"
	"os"
)

// temporary makes a file without a name, which goes when the process ends, however it ends. It is in $TMPDIR, or else in
// /var/tmp, which is for large files: /tmp may be in memory.
func temporary() (*os.File, error) {
	folder := os.Getenv("TMPDIR")
	if folder == "" {
		folder = "/var/tmp"
	}
	f, err := os.CreateTemp(folder, "zonemark-")
	if err != nil {
		f, err = os.CreateTemp("", "zonemark-")
	}
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
