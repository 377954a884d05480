package files

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Temporary makes a file without a name, for reading and writing, which goes when the process ends, however it ends. It
// is in the system's folder for temporary files if the user has named another one than /tmp, which may be in memory.
// Else it is in /var/tmp, which is for large files. Where open files cannot be removed, as on Windows, it returns an
// error.
func Temporary() (File, error) {
	folder := os.TempDir()
	if folder == "/tmp" {
		if f, err := temporaryIn("/var/tmp"); err == nil {
			return f, nil
		}
	}
	return temporaryIn(folder)
}

func temporaryIn(folder string) (File, error) {
	const attempts = 10_000 // as many as os.CreateTemp makes
	for n := 0; ; n++ {
		path := filepath.Join(folder, "zonemark-"+strconv.FormatUint(uint64(rand.Uint32()), 10))
		f, err := OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < attempts {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := Remove(path); err != nil {
			return nil, errors.Join(err, f.Close(), Remove(path))
		}
		return f, nil
	}
}
