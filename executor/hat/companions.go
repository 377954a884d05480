package hat

import (
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/files"
	"zonemark/invocations/tomltext"
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
	if _, err := DecodePackage(path, text); err != nil {
		return err
	}
	var edits []tomltext.Edit
	for _, l := range libraryNames(string(text)) {
		if filepath.IsAbs(l.Text) {
			l.Text = tomltext.Quote(moved(l.Text))
			edits = append(edits, l)
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return files.Write(path, 0o644, []byte(tomltext.Apply(string(text), edits)))
}

// libraryNames returns the places of the names of libraries in a package, with the names.
func libraryNames(text string) (list []tomltext.Edit) {
	var table []string
	for _, s := range tomltext.Statements(text) {
		if s.Header {
			table = s.Key
			continue
		}
		if path := slices.Concat(table, s.Key); path[0] != "dependencies" {
			continue
		}
		for _, v := range s.Strings(text) {
			if v.Key == "link_target" || v.Key == "target_file" {
				list = append(list, tomltext.Edit{From: v.From, To: v.To, Text: tomltext.Unquote(text[v.From:v.To])})
			}
		}
	}
	return list
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
