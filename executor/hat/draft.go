package hat

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Draft returns the text of a .hat file for a C file, a header or a library, to lie beside it. The options are those of
// COptions; a header needs none. The functions that cannot be described are listed in a comment at its top.
func Draft(ctx context.Context, path string, options map[string]string, getenv func(string) string) (string, error) {
	r := CRuntime{Getenv: getenv}
	var f *cFile
	var err error
	header := strings.EqualFold(filepath.Ext(path), ".h")
	if header {
		f, err = r.readHeaderAlone(ctx, path, options)
	} else {
		f, err = r.read(ctx, path, options)
	}
	if err != nil {
		return "", err
	}
	f.pkg.Depends.LinkTarget = filepath.Base(path)
	if header {
		f.pkg.Depends.LinkTarget = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".so"
	}
	if sourceCode(path) {
		f.pkg.CompilerFlags = options[OptionCFlags]
		if _, err := f.pkg.compileFlags(""); err != nil {
			return "", err
		}
	}
	remarks := ""
	for _, c := range f.candidates {
		if c.function == nil {
			remarks += "not described: " + c.name + ": " + c.problem + "\n"
		}
	}
	return f.pkg.text(remarks), nil
}

// readHeaderAlone reads the functions that a header declares. Nothing is known of their library.
func (r CRuntime) readHeaderAlone(ctx context.Context, path string, options map[string]string) (*cFile, error) {
	if options[OptionPrototype] != "" || options[OptionHeader] != "" {
		return nil, fmt.Errorf("%s: a header has its own prototypes; leave out --function with one, and --%s", path,
			OptionHeader)
	}
	f := &cFile{path: path}
	var noCompiler error
	f.compiler, noCompiler = findCompiler(ctx, Runtime{Getenv: r.Getenv}.getenv)
	declared, err := f.readHeader(ctx, path, noCompiler == nil)
	if err != nil {
		return nil, err
	}
	f.choose(declared, declared)
	if len(f.pkg.Functions) == 0 {
		return nil, f.problems()
	}
	return f, nil
}
