package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/driver"
	"zonemark/driver/setup"
)

// cacheFolder is a folder below zonemark's cache, which is $ZONEMARK_HOME or the user's cache folder. It is made when it is missing.
func cacheFolder(name string) (string, error) {
	home, err := setup.CacheRoot(os.Getenv)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(home, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	return dir, nil
}

// newScratch makes the one folder that this run's executors may write to. Those of runs that were killed are removed on the way; their
// names start with the number of the process that made them.
func newScratch() (string, error) {
	dir, err := cacheFolder("scratch")
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
	scratch, err := os.MkdirTemp(dir, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the executor: %w", err)
	}
	return scratch, nil
}

// alive says whether a process with this number may exist.
func alive(pid int) bool {
	_, err := os.Stat("/proc/self")
	if err != nil {
		return true // no way to tell
	}
	_, err = os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
	return !errors.Is(err, os.ErrNotExist)
}

// openMachine is what earlier runs have learned of the machine with this environment. It can be used whatever the error.
func openMachine(environment map[string]string) (*driver.Machine, error) {
	dir, err := cacheFolder("")
	if err != nil {
		return nil, err
	}
	return driver.OpenMachine(filepath.Join(dir, "machines.json"), environment)
}
