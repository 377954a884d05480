package fitting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/table"
	"zonemark/driver/report"
)

// unitNS is the unit of times.
const unitNS = "ns"

// sweep is a table that is fitted, with its operation and architecture.
type sweep struct {
	table        *table.Table
	identity     costmodel.Identity
	operation    string // as parameter files call it, or the name of a journal's function
	architecture string
	unit         string   // of what was measured: unitNS; empty stands for cycles
	variables    []string // of a model of products
	place        string   // the host and the day of the run, if they are known
}

func isJournal(path string) bool { return strings.HasSuffix(path, ".ndjson") }

func isSweep(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// read reads all paths. It prints errors, and failed reports whether there were any.
func (f *Settings) read(ctx context.Context) (sweeps []sweep, failed bool) {
	for _, path := range f.Paths {
		files, err := listed(path)
		if err != nil {
			f.Fail("%v", err)
			failed = true
		}
		for _, file := range files {
			read, err := f.readFile(ctx, file)
			if errors.Is(err, table.ErrNotMeasured) {
				f.Say("warning: %s: it is left out", report.Printable(err.Error()))
				continue
			}
			if err != nil {
				f.Fail("%v", err)
				failed = true
			}
			sweeps = append(sweeps, read...)
		}
	}
	return sweeps, failed
}

// listed returns a file, or the sweeps and journals below a folder in the order of their names.
func listed(path string) ([]string, error) {
	if err := cli.CheckExists(path, "a sweep (.csv), a journal (.ndjson), or a folder of them"); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && name != path && d.IsDir():
			return filepath.SkipDir
		case !d.IsDir() && (isSweep(name) || isJournal(name)):
			files = append(files, name)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no .csv and no .ndjson file in this folder", path)
	}
	return files, err
}

func (f *Settings) readFile(ctx context.Context, path string) ([]sweep, error) {
	if isJournal(path) {
		return f.readJournal(ctx, path)
	}
	t, err := table.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if t.Runtime == nil {
		return nil, errors.New(missingRuntime(t))
	}
	if t.Unmeasured != "" {
		f.note("%s: rows that were not measured are left out: %s", report.Printable(path), report.Printable(t.Unmeasured))
	}
	s := sweep{table: t, identity: costmodel.Identify(path), architecture: f.architectureOf(path)}
	s.operation = s.identity.Operation
	for _, name := range f.variables {
		s.variables = append(s.variables, table.Canonical(name))
	}
	return []sweep{s}, nil
}

// missingRuntime returns the message for a table without a column of times, with the most similar column.
func missingRuntime(t *table.Table) string {
	text := t.Require("runtime").Error()
	return strings.Replace(text, "no column runtime", "no column runtime or total-runtime", 1) +
		": there is nothing to fit to"
}

// architectureOf returns the architecture of a sweep: --arch, or what a folder is named after, or $ARCH_NAME.
func (f *Settings) architectureOf(path string) string {
	if f.Architecture != "" {
		return f.Architecture
	}
	if absolute, err := filepath.Abs(path); err == nil {
		if name := costmodel.ArchitectureOf(absolute); name != "" {
			return name
		}
	}
	return f.Variables.Lookup("ARCH_NAME")
}
