package runtimes

import (
	"maps"
	"strings"

	"zonemark/invocations"
)

// Contents returns a function that replaces the paths in options of artifacts by the hashes of the files, "sha256:…":
// the measured program depends on the contents of these files, and not on their paths. A value stays as it is if hash
// cannot read the file. The executor then reports what is wrong with it.
func (t Table) Contents(
	hash func(path string) (sha256 string, err error),
) func(options map[string]string) map[string]string {
	content := func(path string) string {
		sum, err := hash(path)
		if err != nil {
			return path
		}
		return "sha256:" + sum
	}
	known := t.Options()
	return func(options map[string]string) map[string]string { return eachFile(known, options, content) }
}

// EachFile returns options with f applied to each path of a file in them.
func (t Table) EachFile(options map[string]string, f func(path string) string) map[string]string {
	return eachFile(t.Options(), options, f)
}

func eachFile(known []invocations.Option, options map[string]string, f func(path string) string) map[string]string {
	changed := maps.Clone(options)
	for _, o := range known {
		if value := options[o.Name]; value != "" {
			changed[o.Name] = optionContent(o.Kind, value, f)
		}
	}
	return changed
}

// optionContent returns the value of an option with content applied to each path in it.
func optionContent(kind invocations.OptionKind, value string, content func(path string) string) string {
	switch kind {
	case invocations.FileOption:
		return content(value)
	case invocations.NameOrFileOption:
		if strings.ContainsAny(value, `/\`) {
			return content(value)
		}
	case invocations.FilesOption:
		all := invocations.SplitFiles(value)
		for i, one := range all {
			all[i] = content(one)
		}
		return invocations.JoinFiles(all)
	case invocations.ScopedFilesOption:
		all := strings.Split(value, ",")
		for i, one := range all {
			if scope, path, scoped := strings.Cut(one, "="); scoped {
				all[i] = scope + "=" + content(path)
			} else {
				all[i] = content(one)
			}
		}
		return strings.Join(all, ",")
	}
	return value
}
