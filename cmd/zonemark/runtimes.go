package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/hat"
)

// runtimeRow is one runtime and the file names by which its artifacts are known.
type runtimeRow struct {
	runtime    executor.Runtime
	extensions []string
}

// runtimes is the one list of runtimes.
func runtimes() []runtimeRow {
	return []runtimeRow{
		{hat.Runtime{}, []string{".hat"}},
	}
}

// executorRuntimes is the list as the executor takes it.
func executorRuntimes() (list []executor.Runtime) {
	for _, row := range runtimes() {
		list = append(list, row.runtime)
	}
	return list
}

func runtimeNames() (names []string) {
	for _, row := range runtimes() {
		names = append(names, row.runtime.Name())
	}
	return names
}

// recognize finds the runtime of an artifact by its name, or by the names of the files in it when it is a folder.
func recognize(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err.(*fs.PathError).Err) // os.Stat promises the type
	}
	names := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		names = nil
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	var known []string
	for _, row := range runtimes() {
		for _, name := range names {
			if slices.Contains(row.extensions, strings.ToLower(filepath.Ext(name))) {
				return row.runtime.Name(), nil
			}
		}
		known = append(known, row.extensions...)
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s: this folder holds no artifact (a file named *%s)", path, strings.Join(known, ", *"))
	}
	return "", fmt.Errorf("%s: not a suite (.toml) and not an artifact (%s); say --runtime if it has an unusual name", path, strings.Join(known, ", "))
}
