// Package csource runs functions of C files, and of libraries whose functions are called as C calls them, by their
// prototypes. It reads prototypes of the command line, headers, C sources and the names that libraries export, compiles
// and links, and hands typed prototypes to package cfunction. Between the executor that builds and the one that calls,
// they are a file of signatures.
//
// The package does not know how calls are made, timed or compared.
package csource

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/exports"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"
)

// Runtime is the runtime for functions of C files and of libraries whose functions are called as C calls them. Its zero
// value is ready to use.
type Runtime struct {
	// Getenv looks up environment variables. CC may name the compiler. If it is nil, no variable is set.
	Getenv    func(name string) string
	asked     []string   // names of the functions of which errors tell; empty: all
	described *described // nil: nothing is kept
}

// New returns a runtime that reads a file once to describe and to build it.
func New(getenv func(name string) string) Runtime {
	return Runtime{Getenv: getenv, described: &described{}}
}

func (r Runtime) getenv(name string) string {
	if r.Getenv == nil {
		return ""
	}
	return r.Getenv(name)
}

// Name is the name of the runtime for C functions.
const Name = "c"

// Name returns "c".
func (Runtime) Name() string { return Name }

// libraryName matches names of shared libraries, with or without their versions, of archives and of object files.
var libraryName = lazyregexp.New(`.\.(so(\.[0-9]+)*|a|o)$`)

// Recognizes reports whether path is named like a C file or a library. Folders hold sources and libraries of all kinds, so
// their files are named one by one.
func Recognizes(path string) bool {
	if libraryName().MatchString(filepath.Base(path)) {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	}
	return toolchain.IsSource(path) && filepath.Base(path) != filepath.Ext(path)
}

// Describe reads the prototypes of a C file or, for a library, those that the options hold. It starts the compiler to
// preprocess a C file. A function whose prototype does not tell all that a call needs is described as skipped, with
// what is missing. If no function can be called, the error shows the places.
func (r Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	r.asked = o.Functions
	f, err := r.read(context.Background(), path, o.Options, building.Workshop{Cache: o.Cache, Confine: o.Confine})
	if err != nil {
		return nil, err
	}
	if f.language != "" && o.Cache != "" { // here the compiler's messages are shown as they are
		library, err := f.compile(context.Background(), o.Cache)
		if err != nil {
			return nil, err
		}
		if f.language == languageCXX {
			if f.exported, err = exports.InspectFile(library); err != nil {
				return nil, err
			}
		}
	}
	d := invocations.Description{
		Artifact: invocations.Artifact{Path: path, SHA256: f.hash()}, NeedsBuild: true, Comparable: true,
	}
	skip := mismatch(f.exported, path)
	inits, _ := parseInits(o.Options[OptionInit]) // read has checked them
	for _, c := range f.candidates {
		if slices.ContainsFunc(inits, func(one cfunction.InitFunction) bool { return one.Name == c.name }) {
			continue // it is not measured
		}
		out := invocations.Function{Name: c.name, Skip: c.problem, Remedies: c.remedies}
		if c.prototype != nil {
			if out.Skip = skip; skip == "" {
				out.Skip = f.unexported(c.name)
			}
			if err := c.prototype.Describe(&out, nil); err != nil {
				out.Note = "it cannot be called: " + err.Error()
			}
		}
		d.Functions = append(d.Functions, out)
	}
	r.described.keep(reading{path, o.Cache, o.Options, f})
	return []invocations.Description{d}, nil
}

// unexported says why a function cannot be called by its name; empty if it can.
func (f *file) unexported(name string) string {
	problem := f.exported.Problem(name)
	if problem != "" && f.language == languageCXX {
		return fmt.Sprintf("no function %s is exported as C calls it; C++ functions are declared extern \"C\"", name)
	}
	return problem
}

// Build compiles a C file, or links static code, into a shared library below the cache, and writes the prototypes beside
// it. It returns the path of the file with the prototypes. What Describe has read is built without reading it again.
func (r Runtime) Build(ctx context.Context, artifact invocations.Artifact, w building.Workshop) (string, error) {
	f, err := r.described.take(artifact.Path, w.Cache, artifact.Options), error(nil)
	if f == nil {
		if f, err = r.read(ctx, artifact.Path, artifact.Options, w); err != nil {
			return "", err
		}
	}
	library := artifact.Path
	switch {
	case f.language != "":
		if library, err = f.compile(ctx, w.Cache); err != nil {
			return "", err
		}
	case toolchain.IsStatic(artifact.Path):
		if library, err = f.link(ctx, w.Cache); err != nil {
			return "", err
		}
	}
	return f.writeBuilt(library, w.Cache)
}

// Load opens the library that Build has made.
func (r Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	l, err := libraryOf(artifact)
	if err != nil {
		return nil, err
	}
	return cfunction.Open(l)
}

// libraryOf returns the library that was built of a C file or library.
func libraryOf(artifact invocations.Artifact) (*cfunction.Library, error) {
	if artifact.Built == "" {
		return nil, fmt.Errorf("%s must be built before it is loaded; build the artifact first", artifact.Path)
	}
	b, err := readBuilt(artifact.Built)
	if err != nil {
		return nil, err
	}
	l, err := b.library(artifact.Path)
	if err != nil {
		return nil, err
	}
	if l.Init, err = parseInits(artifact.Options[OptionInit]); err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return l, nil
}

var mainFunction = lazyregexp.New(`\bmain\s*\(`)

// problems joins what is wrong with functions to one error: with those that were asked for, or else with the first ones.
func (f *file) problems() error {
	const shown = 5
	named := slices.DeleteFunc(slices.Clone(f.candidates), func(c candidate) bool { return !slices.Contains(f.asked, c.name) })
	told, more := named, 0
	if len(named) == 0 {
		told = f.candidates[:min(shown, len(f.candidates))]
		more = len(f.candidates) - len(told)
	}
	if len(named) == 0 && len(f.asked) > 0 && len(told) > 0 {
		return f.noFunction(f.asked[0])
	}
	var list []string
	var remedies []remedy.Remedy
	for _, c := range told {
		list = append(list, c.detail)
		remedies = append(remedies, c.remedies...)
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	if len(list) == 0 && mainFunction().Match(f.code) {
		program := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
		return fmt.Errorf("%s: only its function main can be called from outside; to measure the whole program:\n"+
			"  cc -O2 %s -o %s && zonemark run -- ./%s", f.path, shellwords.Line(filepath.Base(f.path)), shellwords.Line(program),
			shellwords.Line(program))
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: it defines no function that other files can call; name another file", f.path)
	}
	if len(remedies) == len(named) && len(named) > 1 {
		remedies = []remedy.Remedy{together(remedies)}
	}
	return remedy.New(f.path+": no function can be measured:\n"+strings.Join(list, "\n"), remedies...)
}

// noFunction returns the error about a function that the file lacks.
func (f *file) noFunction(name string) error {
	var names []string
	for _, c := range f.candidates {
		names = append(names, c.name)
	}
	return remedy.With(fmt.Errorf("%s: no function %q%s", f.path, name, spelling.SuggestOrList(name, names)),
		remedy.Remedy{Kind: remedy.Instead, Name: name, Value: cmp.Or(spelling.Nearest(name, names), names[0])})
}

// together returns the call of all functions that remedies call, by all their prototypes.
func together(calls []remedy.Remedy) remedy.Remedy {
	all := calls[0]
	for _, one := range calls[1:] {
		all.Value += "\n" + one.Value
		for p := range strings.FieldsSeq(one.Parameters) {
			if !slices.Contains(strings.Fields(all.Parameters), p) {
				all.Parameters = strings.TrimSpace(all.Parameters + " " + p)
			}
		}
	}
	return all
}
