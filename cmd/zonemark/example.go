package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cachedir"
)

//go:embed example
var exampleFiles embed.FS

// unpackExample writes the shipped examples into the cache and returns their folder. The folder's name depends on the
// contents, so that another version of zonemark gets another folder.
func unpackExample(cache cachedir.Cache) (string, error) {
	h := sha256.New()
	files := map[string][]byte{} // by the path below the folder
	err := fs.WalkDir(exampleFiles, "example", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := exampleFiles.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", name, len(text))
		h.Write(text)
		files[strings.TrimPrefix(name, "example/")] = text
		return err
	})
	if err != nil {
		return "", err
	}
	dir, err := cache.Folder(filepath.Join("example", hex.EncodeToString(h.Sum(nil)[:8])))
	if err != nil {
		return "", err
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			return "", fmt.Errorf("unpack the example: %w", err)
		}
	}
	return dir, nil
}
