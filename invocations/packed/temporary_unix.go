//go:build unix

package packed

import (
	"errors"
	"os"
)

// temporary makes a file without a name, which goes when the process ends, however it ends. It is in the system's folder
// for temporary files if the user has named another one than /tmp, which may be in memory. Else it is in /var/tmp, which
// is for large files.
func temporary() (*os.File, error) {
	folder := os.TempDir()
	if folder == "/tmp" {
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
