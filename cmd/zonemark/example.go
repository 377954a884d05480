package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cachedir"
)

//go:embed example
var exampleFiles embed.FS

// unpackExample writes the shipped examples into the cache and returns their folder. The folder's name depends on the
// contents, so that another version of zonemark gets another folder.
func unpackExample(cache cachedir.Cache) (string, error) {
	names, err := fs.Glob(exampleFiles, "example/*")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = exampleFiles.ReadFile(name); err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	dir, err := cache.Folder(filepath.Join("example", hex.EncodeToString(h.Sum(nil)[:8])))
	if err != nil {
		return "", err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644); err != nil {
			return "", fmt.Errorf("unpack the example: %w", err)
		}
	}
	return dir, nil
}
