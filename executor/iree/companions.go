package iree

import (
	"path/filepath"
	"strings"

	"zonemark/executor/iree/dispatchplan"
)

// Companions returns the path of the module that the dispatch plan at path belongs to. It returns none for a file that
// is no plan.
func Companions(path string) ([]string, error) {
	if !strings.HasSuffix(path, planExtension) {
		return nil, nil
	}
	p, err := dispatchplan.Read(path)
	if err != nil {
		return nil, err
	}
	return []string{planModule(path, p)}, nil
}

// Relocate changes the absolute path of the module in the dispatch plan at path to what moved returns for it. A file
// that is no plan is left alone.
func Relocate(path string, moved func(file string) string) error {
	if !strings.HasSuffix(path, planExtension) {
		return nil
	}
	p, err := dispatchplan.Read(path)
	if err != nil || !filepath.IsAbs(p.Module) {
		return err
	}
	p.Module = moved(p.Module)
	return p.Write(path)
}
