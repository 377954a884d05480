package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"zonemark/invocations/files"
	"zonemark/invocations/lazyregexp"
)

// What the source of a generator may be made of; more is a mistake, such as a link that leads in a circle.
const (
	maxSourceFiles = 1000
	maxSourceBytes = 16 << 20 // of one file
)

// sourceFile is a file of a generator's source.
type sourceFile struct {
	path     string
	contents string
}

// readSources returns a source and the files of its folder that it includes or imports, directly or through others, in
// the order in which they are found. It reads the lines of #include and import: what they name and is not beside the
// source or in one of the folders, such as the standard library, is left out.
func readSources(path string, folders []string) (all []sourceFile, err error) {
	named := func(from, text string) (paths []string) {
		for _, folder := range append([]string{filepath.Dir(from)}, folders...) {
			paths = append(paths, includedFiles(folder, text)...)
		}
		return paths
	}
	if isPython(path) {
		top := filepath.Dir(path)
		named = func(from, text string) []string { return importedFiles(top, filepath.Dir(from), text) }
	}
	seen := map[string]bool{path: true}
	for waiting := []string{path}; len(waiting) > 0; waiting = waiting[1:] {
		text, err := readSource(waiting[0])
		if err != nil {
			if len(all) > 0 && errors.Is(err, fs.ErrNotExist) {
				continue // it is elsewhere
			}
			return nil, err
		}
		all = append(all, sourceFile{waiting[0], text})
		if len(all) > maxSourceFiles {
			return nil, fmt.Errorf("%s: it includes or imports more than %d files of its folder; put it into a folder "+
				"of its own", path, maxSourceFiles)
		}
		for _, other := range named(waiting[0], text) {
			if !seen[other] {
				seen[other] = true
				waiting = append(waiting, other)
			}
		}
	}
	return all, nil
}

// readSource returns the contents of a file. What is no file is reported as one that is not there.
func readSource(path string) (string, error) {
	text, err := files.ReadStranger(path, maxSourceBytes)
	var long *files.TooLongError
	switch {
	case errors.As(err, &long):
		return "", fmt.Errorf("%s: it has %d bytes, more than any source of a generator", path, long.Bytes)
	case errors.Is(err, fs.ErrInvalid):
		return "", &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return string(text), err
}

var include = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)

// includedFiles returns the paths that the #include lines of a C++ file in a folder may mean.
func includedFiles(folder, text string) (paths []string) {
	for _, m := range include().FindAllStringSubmatch(text, -1) {
		path := filepath.FromSlash(m[1])
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		paths = append(paths, path)
	}
	return paths
}

var (
	importLine = lazyregexp.New(`(?m)^[ \t]*import[ \t]+([^#;\n]+)`)
	fromLine   = lazyregexp.New(`(?m)^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import\b[ \t]*(\([^)]*\)|[^#;\n]*)`)
	moduleName = lazyregexp.New(`^[\w.]+`)
)

// importedFiles returns the paths that the import lines of a Python file in a folder may mean, if the program's first
// file is in the folder top. Names that are imported from a package may be modules of it.
func importedFiles(top, folder, text string) (paths []string) {
	add := func(base, dotted string) {
		for _, part := range strings.Split(dotted, ".") {
			if part != "" {
				base = filepath.Join(base, part)
				paths = append(paths, base+".py", filepath.Join(base, "__init__.py"))
			}
		}
	}
	for _, m := range importLine().FindAllStringSubmatch(text, -1) {
		for _, one := range strings.Split(m[1], ",") {
			add(top, moduleName().FindString(strings.TrimSpace(one)))
		}
	}
	for _, m := range fromLine().FindAllStringSubmatch(text, -1) {
		base := top
		if m[1] != "" {
			base = folder
			for range len(m[1]) - 1 {
				base = filepath.Dir(base)
			}
		}
		add(base, m[2])
		names := strings.Trim(m[3], "() \t\r")
		for _, one := range strings.Split(names, ",") {
			if name := moduleName().FindString(strings.TrimSpace(one)); name != "" {
				add(base, m[2]+"."+name)
			}
		}
	}
	return paths
}
