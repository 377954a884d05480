package hat

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor/cfunction/toolchain"
)

// Draft returns the text of a .hat file for a C file, a header or a library, to lie beside it. The options are those of
// COptions; a header needs none. remarks are lines about what is left to do: functions that cannot be described, a
// library that must be built. They are a comment at the top of the text, too.
func Draft(
	ctx context.Context, path string, options map[string]string, getenv func(string) string,
) (text, remarks string, err error) {
	r := CRuntime{Getenv: getenv}
	var f *cFile
	header := strings.EqualFold(filepath.Ext(path), ".h")
	if header {
		f, err = r.readHeaderAlone(ctx, path, options)
	} else {
		f, err = r.read(ctx, path, options)
	}
	if err != nil {
		return "", "", err
	}
	name := filepath.Base(path)
	library := strings.TrimSuffix(name, filepath.Ext(name)) + ".so"
	pkg := &Package{Path: path}
	pkg.Depends.LinkTarget = name
	switch included := f.included(); {
	case header:
		pkg.Depends.LinkTarget = library
		remarks = "the library is taken to be " + library + "; correct link_target if it has another name\n"
	case included != "":
		pkg.Depends.LinkTarget = library
		remarks = fmt.Sprintf("%s includes %s, and the source of a package is compiled alone: build a library with "+
			"cc -O2 -shared -fPIC -o %s %s\n", name, included, library, name)
	case toolchain.IsSource(path):
		pkg.CompilerFlags = options[OptionCFlags]
		if _, err := pkg.compileFlags(""); err != nil {
			return "", "", err
		}
	}
	for _, c := range f.candidates {
		if c.declared == nil {
			remarks += "not described: " + c.name + ": " + c.problem + "\n"
		} else {
			pkg.Functions = append(pkg.Functions, functionOf(c.declared))
		}
	}
	return pkg.text(remarks), remarks, nil
}

// readHeaderAlone reads the functions that a header declares. Nothing is known of their library.
func (r CRuntime) readHeaderAlone(ctx context.Context, path string, options map[string]string) (*cFile, error) {
	if options[OptionPrototype] != "" || options[OptionHeader] != "" {
		return nil, fmt.Errorf("%s: a header has its own prototypes; leave out --function with one, and --%s", path,
			OptionHeader)
	}
	f := &cFile{path: path}
	var noCompiler error
	f.compiler, noCompiler = toolchain.Find(ctx, r.getenv)
	declared, err := f.readHeader(ctx, path, noCompiler == nil)
	if err != nil {
		return nil, err
	}
	f.choose(declared, declared)
	return f, f.callable()
}

// included returns a file that the source includes and that is not the system's. Returns "" if there is none.
func (f *cFile) included() string {
	for line := range bytes.Lines(f.code) {
		_, rest, marker := strings.Cut(string(line), ` "`)
		name, _, _ := strings.Cut(rest, `"`)
		if marker && line[0] == '#' && toolchain.IsSource(f.path) && ownFile(name) && name != filepath.Base(f.path) &&
			!strings.HasSuffix(name, "/") { // gcc names its own folder, too
			return name
		}
	}
	return ""
}
