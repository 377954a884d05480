package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zonemark/executor/toolchain"
	"zonemark/invocations/files"
)

// cacheFolder is the folder of this package below the cache.
const cacheFolder = "halide"

// unfinishedPrefix begins the names of folders that are being filled.
const unfinishedPrefix = ".building-"

// RemoveUnfinished removes what builds that were killed have left in a cache. No other process may use the cache. A
// compiler whose build was killed a moment ago may still write files: what it fills again is left for the next time.
func RemoveUnfinished(cache string) error {
	entries, err := os.ReadDir(filepath.Join(cache, cacheFolder))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinishedPrefix) {
			err := os.RemoveAll(filepath.Join(cache, cacheFolder, e.Name()))
			if err != nil && !errors.Is(err, fs.ErrExist) { // ErrExist: not empty
				return fmt.Errorf("cache for built pipelines: %w", err)
			}
		}
	}
	return nil
}

// cached returns the folder below cache that holds the files of a key. If it is not there, or if a file in it is not
// what was made, produce makes the files in a folder of its own, which then gets the name in one step. Two builds may do
// so at once; one of the folders stays.
func cached(cache string, k toolchain.Key, want []string, produce func(folder string) error) (string, error) {
	root := filepath.Join(cache, cacheFolder)
	folder := filepath.Join(root, k.Name())
	if intact(folder, want) {
		return folder, nil
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", fmt.Errorf("cache for built pipelines: %w; choose another cache folder", err)
	}
	unfinished, err := os.MkdirTemp(root, unfinishedPrefix)
	if err != nil {
		return "", fmt.Errorf("cache for built pipelines: %w; choose another cache folder", err)
	}
	defer os.RemoveAll(unfinished) // is gone if all went well
	if err := produce(unfinished); err != nil {
		return "", err
	}
	for _, name := range want {
		if info, err := os.Stat(filepath.Join(unfinished, name)); err != nil || !info.Mode().IsRegular() {
			return "", fmt.Errorf("the build ended well and made no %s", name)
		}
	}
	if err := finish(unfinished, want); err != nil {
		return "", fmt.Errorf("cache for built pipelines: %w", err)
	}
	if os.Rename(unfinished, folder) == nil || intact(folder, want) { // another build may have been faster
		return folder, nil
	}
	// The folder is there and is not whole: somebody has removed or changed files in it.
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("cache for built pipelines: %w; remove the folder", err)
	}
	if err := os.Rename(unfinished, folder); err != nil && !intact(folder, want) {
		return "", fmt.Errorf("cache for built pipelines: %w; choose another cache folder", err)
	}
	return folder, nil
}

// intact reports whether the files of a folder are there and are what was made.
func intact(folder string, want []string) bool {
	for _, name := range want {
		if !files.Intact(filepath.Join(folder, name)) {
			return false
		}
	}
	return true
}

// finish makes a folder readable for others, as caches may be shared, and stores the hashes of its files. They need no
// sync: a file that a loss of power takes differs from its hash, and is made again.
func finish(folder string, want []string) error {
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	for _, name := range want {
		if err := files.Seal(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
