package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"zonemark/invocations/files"
)

// Key collects what a result is made of, and names the result.
type Key struct{ parts []string }

// Add appends parts. Their number and order are those of the program, so that two keys differ if any part does.
func (k *Key) Add(parts ...string) { k.parts = append(k.parts, parts...) }

// AddMap appends the entries of a map in the order of their names, and their number.
func (k *Key) AddMap(m map[string]string) {
	k.Add(fmt.Sprint(len(m)))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		k.Add(name, m[name])
	}
}

// AddFiles appends the contents of files.
func (k *Key) AddFiles(paths ...string) error {
	for _, path := range paths {
		h := sha256.New()
		if err := files.CopyTo(h, path); err != nil {
			return err
		}
		k.Add(string(h.Sum(nil)))
	}
	return nil
}

// Name returns the hash of the parts.
func (k *Key) Name() string {
	h := sha256.New()
	for _, p := range k.parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
