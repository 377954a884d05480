package hat

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// Companions returns the absolute paths of the libraries that the package at path names. It returns none for a file that
// is no package.
func Companions(path string) ([]string, error) {
	if !strings.HasSuffix(path, packageSuffix) {
		return nil, nil
	}
	p, err := ReadPackage(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range p.libraries() {
		list = append(list, p.resolve(name))
	}
	return list, nil
}

// Relocate changes the absolute paths of libraries in the package at path to what moved returns for them. The rest of
// the file stays as it is. A file that is no package is left alone.
func Relocate(path string, moved func(library string) string) error {
	if !strings.HasSuffix(path, packageSuffix) {
		return nil
	}
	text, err := readPackageFile(path)
	if err != nil {
		return err
	}
	p, err := DecodePackage(path, text)
	if err != nil {
		return err
	}
	changed := text
	for _, name := range p.libraries() {
		if filepath.IsAbs(name) {
			changed = bytes.ReplaceAll(changed, []byte(quotedTOML(name)), []byte(quotedTOML(moved(name))))
		}
	}
	if bytes.Equal(changed, text) {
		return nil
	}
	return os.WriteFile(path, changed, 0o644)
}

// libraries returns the names of the libraries, as the package has them.
func (p *Package) libraries() (names []string) {
	if p.Depends.LinkTarget != "" {
		names = append(names, p.Depends.LinkTarget)
	}
	for _, d := range p.Depends.Dynamic {
		if d.TargetFile != "" {
			names = append(names, d.TargetFile)
		}
	}
	return names
}
