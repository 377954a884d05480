package hat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/hat/exports"
	"zonemark/invocations"
)

// CRuntime is the runtime for functions of C files and of libraries whose functions are called as C calls them. Their
// prototypes say what a .hat file says of a package, so each file becomes a package in memory. Its zero value is ready
// to use.
type CRuntime struct {
	// Getenv looks up environment variables; see Runtime.
	Getenv func(name string) string
}

// CName is the name of the runtime for C functions.
const CName = "c"

// Name returns "c".
func (CRuntime) Name() string { return CName }

// RecognizesC reports whether path is named like a C file. Folders hold sources of all kinds, so their files are named
// one by one.
func RecognizesC(path string) bool {
	return sourceCode(path) && filepath.Base(path) != filepath.Ext(path)
}

// Describe reads the prototypes of a C file or, for a library, those that the options hold. It starts the compiler to
// preprocess a C file. A function whose prototype does not tell all that a call needs is described as skipped, with
// what is missing. If no function can be called, the error shows the places.
func (r CRuntime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	f, err := r.read(context.Background(), path, o.Options)
	if err != nil {
		return nil, err
	}
	if sourceCode(path) && o.Cache != "" { // here the compiler's messages are shown as they are
		if _, err := f.compile(context.Background(), o.Cache); err != nil {
			return nil, err
		}
	}
	d := invocations.Description{
		Artifact: invocations.Artifact{Path: path, SHA256: f.hash()}, NeedsBuild: true, Comparable: true,
	}
	here := machine{system: runtime.GOOS, architecture: runtime.GOARCH}
	lib, skip := exports.Library{}, ""
	if !sourceCode(path) {
		lib, skip, _ = f.pkg.libraryFor(here)
	}
	inits, _ := parseInits(o.Options[OptionInit]) // read has checked them
	for _, c := range f.candidates {
		if slices.ContainsFunc(inits, func(one initFunction) bool { return one.name == c.name }) {
			continue // it is not measured
		}
		out := invocations.Function{Name: c.name, Skip: c.problem}
		if c.function != nil {
			out.Skip = skip
			f.pkg.describeExplicit(c.function, lib, &out)
		}
		d.Functions = append(d.Functions, out)
	}
	return []invocations.Description{d}, nil
}

// describeExplicit adds arguments, parameters without default values, and signature.
func (p *Package) describeExplicit(f *Function, lib exports.Library, out *invocations.Function) {
	t, err := p.prototypeOf(f)
	if err != nil {
		out.Skip = err.Error()
		return
	}
	if out.Skip == "" {
		out.Skip = lib.Problem(f.Symbol)
	}
	out.Signature = t.signature()
	for i := range t.arguments {
		a := &t.arguments[i]
		out.Arguments = append(out.Arguments, a.Argument)
		if a.settable() {
			out.Parameters = append(out.Parameters, invocations.Parameter{Name: a.Name, Example: t.example(a)})
		}
	}
}

// Build compiles a C file, or links static code, into a shared library below cache, and writes the package of it beside
// it. It returns the path of the package.
func (r CRuntime) Build(ctx context.Context, artifact invocations.Artifact, cache string) (string, error) {
	f, err := r.read(ctx, artifact.Path, artifact.Options)
	if err != nil {
		return "", err
	}
	library := artifact.Path
	switch {
	case sourceCode(artifact.Path):
		if library, err = f.compile(ctx, cache); err != nil {
			return "", err
		}
	case static(artifact.Path):
		if library, err = f.link(ctx, cache); err != nil {
			return "", err
		}
	}
	return f.writePackage(library, cache)
}

// Load opens the package that Build has made.
func (r CRuntime) Load(artifact invocations.Artifact) (executor.Program, error) {
	return loaded(loadBuilt(artifact))
}

// loadBuilt opens the package that was built of a C file or library.
func loadBuilt(artifact invocations.Artifact) (*program, error) {
	if artifact.Built == "" {
		return nil, fmt.Errorf("%s must be built before it is loaded; build the artifact first", artifact.Path)
	}
	pkg, err := ReadPackage(artifact.Built)
	if err != nil {
		return nil, err
	}
	pkg.Depends.LinkTarget = pkg.Library() // made absolute, since messages shall name the user's file
	pkg.Path, pkg.explicit = artifact.Path, true
	for _, f := range pkg.Functions {
		f.Line = 0
	}
	inits, err := parseInits(artifact.Options[OptionInit])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	p, err := pkg.load("")
	if err == nil {
		p.inits = inits
	}
	return p, err
}

// problems joins what is wrong with functions to one error.
func (f *cFile) problems() error {
	const shown = 5
	var list []string
	for _, c := range f.candidates {
		if c.function == nil && len(list) < shown {
			list = append(list, c.detail)
		}
	}
	if more := len(f.candidates) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: it defines no function that other files can call; name another file", f.path)
	}
	return errors.New(f.path + ": no function can be measured:\n" + strings.Join(list, "\n"))
}
