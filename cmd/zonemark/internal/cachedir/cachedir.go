// Package cachedir makes folders in zonemark's cache, which is $ZONEMARK_HOME or zonemark's part of the user's cache
// folder. It does not know what the folders hold.
package cachedir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/driver/environ"
	"zonemark/driver/setup"
)

// Cache is a user's cache of zonemark.
type Cache struct{ variables environ.Variables }

// Of returns the cache that the variables of an environment name.
func Of(v environ.Variables) Cache { return Cache{v} }

// Folder returns the path of a folder below the cache. It makes the folder if it is missing.
func (c Cache) Folder(name string) (string, error) {
	root, err := setup.CacheRoot(c.variables.Lookup)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	return dir, nil
}

// Scratch makes the only folder that the executors of this process may write to, as Temporary does.
func (c Cache) Scratch() (string, error) { return c.Temporary("scratch") }

// Temporary makes a folder of this process below the folder name of the cache. It also removes folders there of
// processes that were killed. The name of such a folder starts with the number of its process.
func (c Cache) Temporary(name string) (string, error) {
	dir, err := c.Folder(name)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("read the cache: %w", err)
	}
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "-")
		if pid, err := strconv.Atoi(number); err == nil && !alive(pid) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return "", fmt.Errorf("clean the cache: %w", err)
			}
		}
	}
	folder, err := os.MkdirTemp(dir, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder in the cache: %w", err)
	}
	return folder, nil
}

// alive reports whether a process with this number may exist.
func alive(pid int) bool {
	_, err := os.Stat("/proc/self")
	if err != nil {
		return true // the system cannot tell
	}
	_, err = os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
	return !errors.Is(err, os.ErrNotExist)
}
