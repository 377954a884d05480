package main

import (
	"maps"
	"slices"
	"strings"

	"zonemark/driver/filehash"
)

// fileOption is an option of artifacts that names files. The number that is measured depends on what is in these files, not on where they
// are.
type fileOption struct {
	name  string
	list  bool     // the value is [SCOPE=]PATH,…
	names []string // values that are no paths
}

func fileOptions() []fileOption {
	return []fileOption{
		{name: pluginOption, names: []string{pluginTT, pluginCPU}},
		{name: optionsFile},
		{name: simulatorOption},
		{name: "parameter-files", list: true},
	}
}

// optionContents returns a function that replaces the paths in options by the hashes of the files, "sha256:…". What is not a file that can
// be read stays as it is: the executor says what is wrong with it.
func optionContents(files *filehash.Hasher) func(options map[string]string) map[string]string {
	hash := func(path string) string {
		sum, err := files.SHA256(path)
		if err != nil {
			return path
		}
		return "sha256:" + sum
	}
	return func(options map[string]string) map[string]string {
		contents := maps.Clone(options)
		for _, o := range fileOptions() {
			if value := options[o.name]; value != "" && !slices.Contains(o.names, value) {
				contents[o.name] = o.content(value, hash)
			}
		}
		return contents
	}
}

// content is the value of the option with hash applied to each path.
func (o fileOption) content(value string, hash func(path string) string) string {
	if !o.list {
		return hash(value)
	}
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
