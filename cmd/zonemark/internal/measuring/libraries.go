package measuring

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/driver/bundle"
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
			if !isLibrary(library) {
				continue
			}
			if !strings.HasPrefix(folder, "$") && !bundle.OfSystem(library) {
				return nil, fmt.Errorf("%s loads %s; link it with the run path $ORIGIN, which a bundle can have", path, library)
			}
			if !bundle.OfSystem(library) {
				list = append(list, library)
			}
			break
		}
	}
	return list, nil
}

// isLibrary reports whether a file has the format of libraries. A run path may lead to any file of the user.
func isLibrary(path string) bool {
	f, err := elf.Open(path)
	if err == nil {
		f.Close() // it was read only
	}
	return err == nil
}
