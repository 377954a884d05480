package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"zonemark/invocations/files"
	"zonemark/invocations/lazyregexp"
)

// stubSuffix ends the name of a header by which a generator calls another one, which makes it.
const stubSuffix = ".stub.h"

// How far from a source something is looked for: folders above it, and folders and sources in each.
const (
	foldersAbove = 4
	mostEntries  = 200
)

// includedNear returns the folder below which an included file is: a folder above that of the source, or one in such a
// folder. It returns "" if there is none.
func includedNear(header, folder string) string {
	header = filepath.FromSlash(header)
	for range foldersAbove {
		folder = filepath.Dir(folder)
		if files.IsFile(filepath.Join(folder, header)) {
			return folder
		}
		for _, e := range entriesOf(folder) {
			if inner := filepath.Join(folder, e.Name()); e.IsDir() && files.IsFile(filepath.Join(inner, header)) {
				return inner
			}
		}
	}
	return ""
}

// definedNear returns the sources that define the most of the symbols that nothing defines, of those in the folders of
// the request's sources and headers. A source with a function main is a program of its own.
func definedNear(symbols []string, r Request) (paths []string) {
	texts := map[string]string{}
	var near []string
	folders := []string{filepath.Dir(r.Source)}
	for _, flag := range r.Flags {
		if folder, is := strings.CutPrefix(flag, "-I"); is && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		for _, path := range sourcesIn(folder) {
			if path == r.Source || slices.Contains(r.Further, path) {
				continue
			}
			if text, err := readSource(path); err == nil && !mainFunction().MatchString(text) {
				near, texts[path] = append(near, path), text
			}
		}
	}
	open := slices.Clone(symbols)
	for len(open) > 0 {
		best, left := "", open
		for _, path := range near {
			still := slices.DeleteFunc(slices.Clone(open), func(s string) bool { return defines(texts[path], s) })
			if len(still) < len(left) {
				best, left = path, still
			}
		}
		if best == "" {
			break
		}
		paths, open = append(paths, best), left
	}
	return paths
}

var mainFunction = lazyregexp.New(`(?m)^[ \t]*(?:int|auto)[ \t]+main[ \t]*\(`)

// defines reports whether a source has the body of a function, which a linker names with or without its parameters.
func defines(text, symbol string) bool {
	name, _, _ := strings.Cut(symbol, "(")
	name = name[strings.LastIndexAny(name, ": ")+1:]
	if name == "" || !strings.Contains(text, name) {
		return false
	}
	return regexp.MustCompile(`(?m)^[^\n;=/]*\b` + regexp.QuoteMeta(name) + `[ \t]*\([^;{}]*\)[^;{}()]*\{`).MatchString(text)
}

var registration = lazyregexp.New(`HALIDE_REGISTER_GENERATOR\([^,()]+,\s*(\w+)`)

// registeredNear returns the source beside another one that registers a generator; "" if there is none.
func registeredNear(name, source string) string {
	for _, path := range sourcesIn(filepath.Dir(source)) {
		if text, err := readSource(path); err == nil && path != source && registers(text, name) {
			return path
		}
	}
	return ""
}

// registers reports whether a source registers a generator of a name.
func registers(text, name string) bool {
	return slices.ContainsFunc(registration().FindAllStringSubmatch(text, -1), func(m []string) bool { return m[1] == name })
}

// sourcesIn returns the C and C++ sources of a folder.
func sourcesIn(folder string) (paths []string) {
	for _, e := range entriesOf(folder) {
		if isCPlusPlus(e.Name()) || filepath.Ext(e.Name()) == ".c" {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// entriesOf returns the first entries of a folder; none if it cannot be read.
func entriesOf(folder string) []os.DirEntry {
	list, _ := os.ReadDir(folder) // what is not found is not suggested
	return list[:min(len(list), mostEntries)]
}
