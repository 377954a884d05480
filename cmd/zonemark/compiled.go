package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/executor/tt"
)

// provideCompiled tells executors where compiled programs are kept, and where below scratch, the one folder that they may write to, new ones belong. keep takes those into
// the cache.
func provideCompiled(scratch string) (keep func() error, err error) {
	folder, err := cachedir.Folder(filepath.Join("built", "pjrt"))
	if err != nil {
		return nil, err
	}
	fresh := filepath.Join(scratch, "compiled")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return nil, fmt.Errorf("make a folder for compiled programs: %w", err)
	}
	for name, value := range map[string]string{tt.CompiledVariable: folder, tt.CompiledFreshVariable: fresh} {
		if err := os.Setenv(name, value); err != nil {
			return nil, fmt.Errorf("environment of executors: %w", err)
		}
	}
	return func() error { return keepCompiled(fresh, folder) }, nil
}

// keepCompiled moves what executors have made from fresh into folder. Native code could write there as well: what is not whole is left, and no link is followed.
func keepCompiled(fresh, folder string) error {
	entries, err := os.ReadDir(fresh)
	if err != nil {
		return fmt.Errorf("compiled programs: %w", err)
	}
	var failed error
	for _, e := range entries {
		path := filepath.Join(fresh, e.Name())
		if tt.CheckCompiled(path) != nil {
			continue // it goes with the scratch folder
		}
		if err := os.Rename(path, filepath.Join(folder, e.Name())); err != nil {
			failed = errors.Join(failed, fmt.Errorf("keep a compiled program: %w", err))
		}
	}
	return failed
}
