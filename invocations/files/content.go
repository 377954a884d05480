package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// SHA256 returns the hash of a file's content in hexadecimal digits, and the number of bytes that were hashed.
func SHA256(path string) (sum string, bytes int64, err error) {
	f, err := Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	bytes, err = io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 1<<20))
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), bytes, nil
}

// BytesBelow returns the sum of the sizes of the files below a folder. It ignores files that vanish meanwhile or cannot
// be read.
func BytesBelow(folder string) (total int64) {
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
