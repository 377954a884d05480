package bench

import (
	"io/fs"
	"slices"

	"zonemark/invocations/lazyregexp"
)

// decorated finds a function that the exporter takes for a model.
var decorated = lazyregexp.New(`(?m)^@benchmark_model\(.*\)\n(?:@.*\n)*def (\w+)\(`)

// ShippedModels returns the names of the models in the sources of the Python package, sorted. It needs no Python.
func ShippedModels(sources fs.FS) (names []string, err error) {
	paths, err := fs.Glob(sources, "zonemark/models/*.py")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := fs.ReadFile(sources, path)
		if err != nil {
			return nil, err
		}
		for _, found := range decorated().FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	return names, nil
}
