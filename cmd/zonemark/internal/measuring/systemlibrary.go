package measuring

import (
	"path/filepath"
	"strings"
)

// libraryFolders are the places of the system's libraries.
var libraryFolders = []string{"/lib64", "/usr/lib64", "/lib/*-linux-gnu", "/usr/lib/*-linux-gnu", "/usr/lib", "/usr/local/lib"}

// SystemLibrary returns the path of a library of the system that a word without a folder names, as libz.so.1, libz.so
// or libz; "" if there is none.
func SystemLibrary(word string) string { return systemLibrary(word, libraryFolders) }

// systemLibrary returns the path of a library of the system that a word without a folder names: libz.so.1, libz.so or
// libz; "" if there is none. Folders are those of libraryFolders.
func systemLibrary(word string, folders []string) string {
	if !strings.HasPrefix(word, "lib") || strings.ContainsAny(word, "/*?[\\") {
		return ""
	}
	for _, name := range []string{word, word + ".[0-9]*", word + ".so", word + ".so.*"} {
		for _, folder := range folders {
			found, _ := filepath.Glob(filepath.Join(folder, name)) // the pattern is a good one
			for _, path := range found {
				if isLibrary(path) {
					return path
				}
			}
		}
	}
	return ""
}
