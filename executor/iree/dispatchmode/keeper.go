package dispatchmode

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// keeper writes what a module holds into a file, each content once.
type keeper struct {
	file   *os.File
	size   int64
	places map[string]int64 // by the hash of the content
}

// keep returns where in the file the data are.
func (k *keeper) keep(data io.Reader) (offset int64, err error) {
	h := sha256.New()
	n, err := io.Copy(io.NewOffsetWriter(k.file, k.size), io.TeeReader(data, h))
	if err != nil {
		return 0, fmt.Errorf("data of the module: %w", err)
	}
	hash := string(h.Sum(nil))
	if at, known := k.places[hash]; known {
		return at, nil // the next content overwrites what was written
	}
	offset = k.size
	k.size, k.places[hash] = k.size+n, offset
	return offset, nil
}
