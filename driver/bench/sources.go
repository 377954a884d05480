package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"zonemark/invocations/lazyregexp"
)

// decorated finds a function that the exporter takes for a model.
var decorated = lazyregexp.New(`(?m)^@benchmark_model\(.*\)\n(?:@.*\n)*def (\w+)\(`)

// ShippedModels returns the names of the models in the sources of the Python package, sorted. It needs no Python.
func ShippedModels(sources fs.FS) (names []string, err error) {
	paths, err := fs.Glob(sources, "zonemark/models/*.py")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := fs.ReadFile(sources, path)
		if err != nil {
			return nil, err
		}
		for _, found := range decorated().FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	return names, nil
}

// Unpack writes the files of a file system into a new folder in below and returns it. The folder is named after the
// hash of the files' contents. It appears in one step, so that an existing one is complete and is used as it is.
func Unpack(files fs.FS, below string) (folder string, err error) {
	hash := sha256.New()
	contents := map[string][]byte{}
	err = fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		contents[path] = text
		fmt.Fprintf(hash, "%d:%s%d:", len(path), path, len(text))
		hash.Write(text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("unpack the Python sources: %w", err)
	}
	folder = filepath.Join(below, hex.EncodeToString(hash.Sum(nil)[:16]))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := unpackTo(folder, contents); err != nil {
		return "", fmt.Errorf("unpack the Python sources: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	return folder, nil
}

// unpackTo writes the contents, by slash-separated path, into a folder that appears in one step.
func unpackTo(folder string, contents map[string][]byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), partialPrefix+"*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(partial)) }()
	out := filepath.Join(partial, "sources")
	for name, text := range contents {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	if err := os.Rename(out, folder); err != nil {
		if _, there := os.Stat(folder); there == nil {
			return nil // another process made it first
		}
		return err
	}
	return nil
}
