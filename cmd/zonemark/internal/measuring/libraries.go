package measuring

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// librariesBeside returns the files beside a shared library that it has the loader load, those of its run path that
// begins with $ORIGIN. It returns none for another file. The error names a library at a fixed place that is not the
// system's.
func librariesBeside(path string) (list []string, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, nil // another kind of file; who loads it says what is wrong with it
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return nil, nil
	}
	var folders []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		if texts, err := f.DynString(tag); err == nil {
			folders = append(folders, strings.FieldsFunc(strings.Join(texts, ":"), func(c rune) bool { return c == ':' })...)
		}
	}
	origin := strings.NewReplacer("$ORIGIN", filepath.Dir(path), "${ORIGIN}", filepath.Dir(path))
	for _, name := range needed {
		for _, folder := range folders {
			library := filepath.Join(origin.Replace(folder), name)
			if _, err := os.Stat(library); err != nil {
				continue
			}
			if !strings.HasPrefix(folder, "$") && !ofSystem(library) {
				return nil, fmt.Errorf("%s loads %s; link it with the run path $ORIGIN, which a bundle can have", path, library)
			}
			if !ofSystem(library) {
				list = append(list, library)
			}
			break
		}
	}
	return list, nil
}

// systemFolders are those that executors may read whatever they measure.
var systemFolders = []string{"/usr/", "/bin/", "/lib/", "/lib64/"}

// ofSystem reports whether an absolute path is of the system.
func ofSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(folder string) bool {
		return strings.HasPrefix(filepath.Clean(path), folder)
	})
}
