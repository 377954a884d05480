package iree

import (
	"path/filepath"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/libpython"
	"zonemark/executor/pipelines"
)

// Companions returns the paths of the module that the dispatch plan at path belongs to and of the data that the plan
// names, or of the modules of a built pipeline. Of a module it is the file that names the nodes of its dispatches, if
// there is one.
func Companions(path string) ([]string, error) {
	if pipelines.Named(path) {
		return companionsOfPipeline(path)
	}
	if !dispatchplan.Is(path) {
		return nodesBeside(path), nil
	}
	p, err := dispatchplan.Read(path)
	if err != nil {
		return nil, err
	}
	return append([]string{p.ModulePath(path)}, p.Files(path)...), nil
}

// Relocate changes the absolute path in the file at path to what moved returns for it: that of the module in a dispatch
// plan, those in a built pipeline, or that of the Python in the configuration of its environment. Any other file is left alone.
func Relocate(path string, moved func(file string) string) error {
	switch {
	case filepath.Base(path) == libpython.ConfigurationName:
		return libpython.Relocate(path, moved)
	case pipelines.Named(path):
		return pipelines.Move(path, moved)
	case !dispatchplan.Is(path):
		return nil
	}
	p, err := dispatchplan.Read(path)
	if err != nil {
		return err
	}
	p.Move(moved)
	return p.Write(path)
}
