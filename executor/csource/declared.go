package csource

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
)

// Declared is what a C file, a header or a library with prototypes declares.
type Declared struct {
	Functions []*declarations.Function // whose declarations tell all that a call needs
	Others    []Other
	Header    bool   // it is a header, of which nothing else is known
	Includes  string // a file that the source includes and that is not the system's; empty if there is none
}

// Other is a function that cannot be called, and why.
type Other struct{ Name, Problem string }

// ReadDeclared reads a C file, a header or a library, for other purposes than calling its functions. The options are
// those of Options; a header needs none. The workshop confines the compiler.
func ReadDeclared(
	ctx context.Context, path string, options map[string]string, getenv func(string) string, w building.Workshop,
) (*Declared, error) {
	r, header := Runtime{Getenv: getenv}, strings.EqualFold(filepath.Ext(path), ".h")
	read := r.read
	if header {
		read = r.readHeaderAlone
	}
	f, err := read(ctx, path, options, w)
	if err != nil {
		return nil, err
	}
	d := &Declared{Header: header, Includes: f.included()}
	for _, c := range f.candidates {
		if c.declared == nil {
			d.Others = append(d.Others, Other{c.name, c.problem})
		} else {
			d.Functions = append(d.Functions, c.declared)
		}
	}
	return d, nil
}

// readHeaderAlone reads the functions that a header declares. Nothing is known of their library.
func (r Runtime) readHeaderAlone(
	ctx context.Context, path string, options map[string]string, w building.Workshop,
) (*file, error) {
	if options[OptionPrototype] != "" || options[OptionHeader] != "" {
		return nil, fmt.Errorf("%s: a header has its own prototypes; leave out those of the command line, and the other "+
			"header", path)
	}
	if err := toolchain.CheckName(filepath.Base(path)); err != nil {
		return nil, err
	}
	f := &file{path: path}
	var noCompiler error
	f.compiler, noCompiler = toolchain.Find(ctx, r.getenv, w)
	declared, _, err := f.readHeader(ctx, path, noCompiler == nil)
	if err == nil {
		err = anyDeclared(declared, path)
	}
	if err != nil {
		return nil, err
	}
	f.choose(declared, declared)
	if err := f.callable(); err != nil {
		return nil, err
	}
	return f, nil
}

// included returns a file that the source includes and that is not the system's. Returns "" if there is none.
func (f *file) included() string {
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
