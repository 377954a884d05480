package measuring

import (
	"maps"
	"path/filepath"
	"strings"

	"zonemark/driver/filehash"
	"zonemark/invocations"
)

// optionContents returns a function that replaces the paths in options by the hashes of the files, "sha256:…". The number
// that is measured depends on what is in these files, not on where they are. What is not a file that can be read stays as
// it is: the executor says what is wrong with it.
func optionContents(known []invocations.Option, files *filehash.Hasher) func(map[string]string) map[string]string {
	hash := func(path string) string {
		sum, err := files.SHA256(path)
		if err != nil {
			return path
		}
		return "sha256:" + sum
	}
	return func(options map[string]string) map[string]string {
		contents := maps.Clone(options)
		for _, o := range known {
			if value := options[o.Name]; value != "" {
				contents[o.Name] = optionContent(o.Kind, value, hash)
			}
		}
		return contents
	}
}

// optionContent returns the value of an option with hash applied to each path in it.
func optionContent(kind invocations.OptionKind, value string, hash func(path string) string) string {
	switch kind {
	case invocations.FileOption:
		return hash(value)
	case invocations.NameOrFileOption:
		if strings.ContainsRune(value, filepath.Separator) {
			return hash(value)
		}
	case invocations.FileListOption:
		all := strings.Split(value, ",")
		for i, one := range all {
			if scope, path, scoped := strings.Cut(one, "="); scoped {
				all[i] = scope + "=" + hash(path)
			} else {
				all[i] = hash(one)
			}
		}
		return strings.Join(all, ",")
	}
	return value
}
