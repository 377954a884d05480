// Package sweep sweeps operations over their variables: it opens the folder of a sweep, makes a case of each
// configuration, with the program that measures it, and keeps the results, row by row, in the files that Tenstorrent's
// operation sweeps have. It measures nothing itself: the caller carries the invocations of the cases out, one by one or
// all together, and hands their records over.
//
// A sweep has a folder for each operation, with test_configs.yaml, the configurations, and perf_sweep_summary.csv, the
// rows. When all rows of an operation are there, they are copied to RAW/ARCH/DATA_FILE.
package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"zonemark/driver/sweep/operations"
	"zonemark/driver/sweep/program"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// Start says what becomes of results that are there already.
type Start int

// The ways to start. Fresh takes a folder that is not there yet.
const (
	Fresh      Start = iota
	Continue         // --continue-run: keep what is done and finish what is missing
	ForceClean       // --force-clean: delete the folder first
)

// CheckFolder returns why OpenFolder would refuse an output folder. Fresh refuses one that exists, Continue one that
// does not, and ForceClean one with files that no sweep makes, which a wrong path has. It changes nothing.
func CheckFolder(path string, start Start) error {
	info, err := os.Stat(path)
	exists := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("output folder: %w", err)
	case exists && !info.IsDir():
		return fmt.Errorf("output folder %s: it is a file", path)
	case exists && start == Fresh:
		return fmt.Errorf("output folder %s exists: finish it with --continue-run, or delete it with --force-clean",
			path)
	case !exists && start == Continue:
		return fmt.Errorf("output folder %s does not exist, so that there is nothing to continue", path)
	case exists && start == ForceClean:
		return checkClean(path)
	}
	return nil
}

// OpenFolder prepares the output folder of a sweep.
func OpenFolder(path string, start Start) error {
	if err := CheckFolder(path, start); err != nil {
		return err
	}
	if start == ForceClean {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("output folder: %w", err)
		}
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	return nil
}

// checkClean returns an error if a folder has files that no sweep makes.
func checkClean(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && (e.Name() == programsFolder || isResults(filepath.Join(path, e.Name()))) {
			continue
		}
		return fmt.Errorf("output folder %s: --force-clean does not delete it, since %s is none of a sweep's", path,
			e.Name())
	}
	return nil
}

// isResults says whether a folder holds nothing, or the results of an operation on one target or on several.
func isResults(folder string) bool {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if isResult(e.Name()) || e.IsDir() && holdsResult(filepath.Join(folder, e.Name())) {
			return true
		}
	}
	return len(entries) == 0
}

// holdsResult says whether a folder has a file of results.
func holdsResult(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isResult(e.Name()) })
}

func isResult(name string) bool {
	return name == configsFile || name == summaryFile || name == lockFile
}

// programsFolder is the folder of programs and their data in the output folder.
const programsFolder = "programs"

// Programs returns the folder of the programs of an operation, and makes it.
func Programs(out string, o *operations.Operation) (string, error) {
	path := filepath.Join(out, programsFolder, o.Name)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return "", fmt.Errorf("folder of programs: %w", err)
	}
	return path, nil
}

// Configurations returns the configurations of an operation: those of its op_config_file, relative to configFolder (as
// --config-dir gives it), or those of its space. The space is nil for a file.
func Configurations(
	o *operations.Operation, configFolder string,
) ([]operations.Configuration, *operations.Space, error) {
	if o.ConfigFile == "" {
		s, err := o.Space()
		if err != nil {
			return nil, nil, err
		}
		return s.Configurations, s, nil
	}
	path := o.ConfigFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(configFolder, path)
	}
	data, err := files.Read(path)
	if err != nil {
		return nil, nil, fmt.Errorf("operation %s: op_config_file: %w", o.Name, err)
	}
	list, err := operations.ParseConfigurations(path, data, o)
	return list, nil, err
}

// RemovePrograms deletes what Programs made for an operation.
func RemovePrograms(out string, o *operations.Operation) error {
	all := filepath.Join(out, programsFolder)
	if err := os.RemoveAll(filepath.Join(all, o.Name)); err != nil {
		return fmt.Errorf("folder of programs: %w", err)
	}
	_ = os.Remove(all) // if no other operation has programs there
	return nil
}

// JournalFile returns the path of the journal of an operation's measurements.
func JournalFile(out string, o *operations.Operation) string {
	return filepath.Join(out, o.Name, journalFile)
}

// Case is a configuration with what measures it.
type Case struct {
	Configuration *operations.Configuration
	Program       *program.Program // nil if the target cannot apply the configuration
	Refusal       *program.Refusal // why; nil if it can
}

// Invocation returns what is to be measured, nil if there is nothing.
func (c *Case) Invocation() *invocations.Invocation {
	if c.Program == nil {
		return nil
	}
	return &c.Program.Invocation
}

// NewCase makes the program of a configuration in a folder, which must be there.
func NewCase(c *operations.Configuration, t *program.Target, folder string) (*Case, error) {
	p, err := t.Build(c, folder)
	var refused *program.Refusal
	switch {
	case errors.As(err, &refused):
		return &Case{Configuration: c, Refusal: refused}, nil
	case err != nil:
		return nil, err
	}
	return &Case{Configuration: c, Program: p}, nil
}
