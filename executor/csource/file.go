package csource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/exports"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// file is a C or C++ file or a library, with what is known of its functions.
type file struct {
	path       string
	language   string          // of source, as -x has it when it is preprocessed; empty for a library
	code       []byte          // preprocessed source, or the library
	exported   exports.Library // of a library
	compiler   toolchain.Compiler
	cxx        *toolchain.Compiler // not nil if one of the sources is C++
	flags      flags
	sources    []source
	candidates []candidate
	asked      []string         // names of the functions that are asked for; empty: all are
	constants  map[string]int64 // enumerators of the user's own files
	hasHeader  bool             // a header was named, and read
}

// candidate is a function that could be measured.
type candidate struct {
	name      string
	declared  *declarations.Function // nil if the declaration does not tell all that a call needs
	signature signature              // of what is declared
	prototype *cfunction.Prototype   // of the signature; nil if the function cannot be called
	problem   string                 // why it cannot be called, in one line
	detail    string                 // the same, with the place in the text
	remedies  []remedy.Remedy        // of the problem
}

// read reads a C file or library and the prototypes that belong to it.
func (r Runtime) read(
	ctx context.Context, path string, options map[string]string, w building.Workshop,
) (*file, error) {
	language := languageOf(path)
	switch {
	case options[OptionCFlags] != "" && options[OptionSource] == "" && language == "":
		return nil, fmt.Errorf("%s: %s are for C files, and this is compiled already; leave them out", path, OptionCFlags)
	case options[OptionSource] != "" && language == "" && !toolchain.IsStatic(path):
		return nil, fmt.Errorf("%s is linked already, so no further %s can be a part of it; name the source itself first",
			path, OptionSource)
	case filepath.Ext(path) == ".hat":
		return nil, fmt.Errorf("%s: a package tells how its functions are called; name a function without its prototype",
			path)
	}
	for _, one := range []string{filepath.Base(path), filepath.Base(options[OptionHeader])} {
		if err := toolchain.CheckName(one); err != nil {
			return nil, err
		}
	}
	f := &file{path: path, language: language, asked: r.asked}
	if _, err := parseInits(options[OptionInit]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var err error
	if f.flags, err = parseFlags(options[OptionCFlags]); err != nil {
		return nil, err
	}
	getenv := r.getenv
	if words := strings.Fields(options[OptionCC]); len(words) > 0 {
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, remedy.With(fmt.Errorf("%s: %w; name a C compiler that is installed", OptionCC, err),
				remedy.Remedy{Kind: remedy.Instead, Name: words[0], Value: "cc"})
		}
		getenv = func(name string) string {
			if name == "CC" {
				return options[OptionCC]
			}
			return "" // the C++ compiler belongs to the one that was named
		}
	}
	var noCompiler error
	f.compiler, noCompiler = toolchain.Find(ctx, getenv, w)
	if noCompiler != nil && (language != "" || options[OptionSource] != "") {
		return nil, fmt.Errorf("%s: %w", path, noCompiler)
	}
	var declared []declarations.Function
	var names declarations.Names
	if header := options[OptionHeader]; header != "" {
		declared, names, err = f.readHeader(ctx, header, noCompiler == nil)
		if err == nil && options[OptionPrototype] == "" { // which may take no more than types of a header
			err = anyDeclared(declared, header)
		}
		if err != nil {
			return nil, err
		}
		f.hasHeader = true
	}
	if err := f.readSources(ctx, options[OptionSource], getenv); err != nil {
		return nil, err
	}
	switch language {
	case languageC:
		err = f.readSource(ctx, options[OptionPrototype], declared, names)
	case languageCXX:
		err = f.readCXX(ctx, options[OptionPrototype], declared, names, getenv)
	default:
		err = f.readLibrary(ctx, options[OptionPrototype], declared, names)
	}
	if err != nil {
		return nil, err
	}
	if err := f.callable(); err != nil {
		return nil, err
	}
	return f, nil
}

// prototypes reads the prototypes that the user has given, which may use names that the texts of C define.
func (f *file) prototypes(text string, known declarations.Names) ([]declarations.Function, error) {
	f.constants = known.Constants(ownFile)
	if text == "" {
		return nil, nil
	}
	list, err := readPrototypes(text, known)
	var problem *declarations.Problem
	if errors.As(err, &problem) && problem.Kind == declarations.UnknownType && f.language == "" && !f.hasHeader {
		err = remedy.With(err, remedy.Remedy{Kind: remedy.File, Name: OptionHeader, Value: "the header that declares it"})
	}
	return list, err
}

// readPrototypes reads prototypes. The error about one that lacks nothing but shapes has the call with those that it most
// likely has.
func readPrototypes(text string, known declarations.Names) ([]declarations.Function, error) {
	list, err := declarations.ReadPrototypes(prototypeFile, text, known)
	if err == nil {
		return list, nil
	}
	var remedies []remedy.Remedy
	for i := range list {
		remedies = append(remedies, completed(&list[i])...)
	}
	if len(remedies) > 0 {
		err = remedy.With(err, remedies...)
	}
	return nil, err
}

// callable returns an error that shows what is wrong with the functions if no declaration tells all that a call needs.
func (f *file) callable() error {
	if slices.ContainsFunc(f.candidates, func(c candidate) bool { return c.declared != nil }) {
		return nil
	}
	return f.problems()
}

// readHeader returns the functions that a header itself declares or, if it declares none, those that it includes from
// its folder, and the names that it and those that it includes define. Without a compiler, it is read as it is.
func (f *file) readHeader(ctx context.Context, path string, preprocess bool) (
	[]declarations.Function, declarations.Names, error,
) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, declarations.Names{}, fmt.Errorf("%s: %w", OptionHeader, ofSystem(err, path))
	}
	if preprocess {
		if text, err = f.preprocess(ctx, path, "-x", "c"); err != nil {
			return nil, declarations.Names{}, fmt.Errorf("%s: %w", OptionHeader, err)
		}
	}
	all, names := declarations.Read(filepath.Base(path), string(text))
	declaredIn := func(is func(file string) bool) []declarations.Function {
		return slices.DeleteFunc(slices.Clone(all), func(d declarations.Function) bool { return !is(d.File) || d.Static })
	}
	own := declaredIn(ownFile)
	if len(own) == 0 { // math.h of the system declares none itself
		own = declaredIn(func(file string) bool { return strings.HasPrefix(file, filepath.Dir(path)+"/") })
	}
	return own, names, nil
}

// anyDeclared returns an error if a header declares no functions.
func anyDeclared(declared []declarations.Function, path string) error {
	if len(declared) == 0 {
		return fmt.Errorf("%s: %s declares no functions; name another file", OptionHeader, path)
	}
	return nil
}

// ownFile reports whether a file of a line marker is the user's. The compiler works in the folder of the source, so the
// names of files beside it are relative, and those of the system's headers are absolute.
func ownFile(name string) bool { return !filepath.IsAbs(name) && !strings.HasPrefix(name, "<") }

// readSource reads the functions that a C file defines. The prototypes that are given, by a text and by a header, take
// precedence over those in the file.
func (f *file) readSource(
	ctx context.Context, text string, declared []declarations.Function, names declarations.Names,
) (err error) {
	if f.code, err = f.preprocess(ctx, f.path); err != nil {
		return err
	}
	all, own := declarations.Read(filepath.Base(f.path), string(f.code))
	given, err := f.prototypes(text, names.With(own))
	if err != nil {
		return err
	}
	given = append(given, declared...)
	var defined []declarations.Function
	for _, d := range all {
		if d.Defined && ownFile(d.File) && d.Name != "main" {
			defined = append(defined, d)
		}
	}
	for _, d := range given {
		i := slices.IndexFunc(defined, func(other declarations.Function) bool { return other.Name == d.Name })
		switch {
		case i < 0 && d.File != prototypeFile: // a header may declare what other files define
		case i < 0 && len(f.sources) > 0:
			defined = append(defined, d) // the library tells whether one of the sources defines it
		case i < 0:
			return remedy.With(fmt.Errorf("%s: it defines no function %s", f.path, d.Name),
				remedy.Remedy{Kind: remedy.Instead, Name: d.Name, Value: nearestName(d.Name, defined)})
		case len(defined[i].Parameters) != len(d.Parameters) && len(defined[i].Problems) == 0:
			return fmt.Errorf("%s: the prototype of %s has %d parameters, and its definition in line %d has %d; make "+
				"them agree", f.path, d.Name, len(d.Parameters), defined[i].Line, len(defined[i].Parameters))
		}
		if i >= 0 {
			if text := disagreement(&d, &defined[i]); text != "" {
				return fmt.Errorf("%s: in the prototype of %s, %s; make them agree", f.path, d.Name, text)
			}
		}
	}
	f.choose(defined, append(given, all...))
	return nil
}

// nearestName returns the name of the function that was probably meant, else that of the first one; "" if there is
// none.
func nearestName(name string, functions []declarations.Function) string {
	var names []string
	for _, d := range functions {
		names = append(names, d.Name)
	}
	if near := spelling.Nearest(name, names); near != "" || len(names) == 0 {
		return near
	}
	return names[0]
}

// readCXX takes the functions of a C++ file of which prototypes are given. The library that is made of it tells which of
// them C can call.
func (f *file) readCXX(ctx context.Context, text string, declared []declarations.Function, names declarations.Names,
	getenv func(string) string,
) (err error) {
	if f.code, err = f.preprocessCXX(ctx, f.path, getenv); err != nil {
		return err
	}
	given, err := f.prototypes(text, names)
	if err != nil {
		return err
	}
	given = append(given, declared...)
	f.choose(given, given)
	return nil
}

// readLibrary takes the functions of which prototypes are given, by a text and by a header.
func (f *file) readLibrary(
	ctx context.Context, text string, declared []declarations.Function, names declarations.Names,
) error {
	given, err := f.prototypes(text, names)
	if err != nil {
		return err
	}
	given = append(given, declared...)
	info, err := os.Stat(f.path)
	switch {
	case err != nil:
		return fmt.Errorf("library: %w; check the path", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; name a shared library, an archive or an object file", f.path)
	}
	if f.code, err = os.ReadFile(f.path); err != nil {
		return fmt.Errorf("library: %w; check its permissions", err)
	}
	if f.exported, err = exports.Inspect(bytes.NewReader(f.code)); err != nil {
		return fmt.Errorf("library %s: %w; build it again", f.path, err)
	}
	if len(given) == 0 {
		err := fmt.Errorf("%s: a library does not tell the types of its functions%s", f.path,
			listed(f.exported.Functions("")))
		if header := f.systemHeader(ctx); header != "" {
			return remedy.With(err, remedy.Remedy{Kind: remedy.Options, Value: OptionHeader + "=" + header})
		}
		return remedy.With(err,
			remedy.Remedy{Kind: remedy.Prototype, Value: "void NAME(long n, float x[n])"},
			remedy.Remedy{Kind: remedy.File, Name: OptionHeader, Value: "a header"})
	}
	for _, d := range given {
		if problem := f.exported.Problem(d.Name); problem != "" && d.File == prototypeFile {
			near := spelling.Nearest(d.Name, f.exported.Functions(d.Name))
			return remedy.With(fmt.Errorf("%s: %s", f.path, problem),
				remedy.Remedy{Kind: remedy.Instead, Name: d.Name, Value: near})
		}
	}
	f.choose(given, given)
	return nil
}

// listed returns the first names of a list for the end of a message.
func listed(names []string) string {
	const shown = 8
	switch n := len(names); {
	case n == 0:
		return ""
	case n > shown:
		names = append(slices.Clone(names[:shown]), fmt.Sprintf("… (%d in all)", n))
	}
	return "; it exports " + strings.Join(names, ", ")
}

// choose fills in the candidates. Each function is described by the first of its declarations that tells everything, or
// else by the first one.
func (f *file) choose(functions, all []declarations.Function) {
	seen := map[string]bool{}
	for i := range functions {
		d := &functions[i]
		if seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		best := -1
		for k := range all {
			if all[k].Name == d.Name && (best < 0 || len(all[best].Problems) > 0 && len(all[k].Problems) == 0) {
				best = k
			}
		}
		if d := &all[best]; d.Static || len(d.Problems) > 0 {
			f.refuse(d)
			continue
		}
		f.take(&all[best])
	}
}

// take adds a function whose declaration tells all that a call needs.
func (f *file) take(d *declarations.Function) {
	c := candidate{name: d.Name, declared: d}
	var err error
	if c.signature, err = signatureOf(d); err == nil {
		c.prototype, err = c.signature.prototype(f.constants)
	}
	if err != nil {
		c.signature = signature{Symbol: d.Name, Problem: err.Error()}
		c.problem = fmt.Sprintf("%s:%d: function %s: %v", d.File, d.Line, d.Name, err)
	}
	f.candidates = append(f.candidates, c)
}

// refuse notes why a function cannot be called. Static functions are what other functions are made of. They are
// mentioned only if they look like kernels.
func (f *file) refuse(d *declarations.Function) {
	shaped := slices.ContainsFunc(d.Parameters, func(p declarations.Parameter) bool { return len(p.Bounds) > 0 })
	switch {
	case d.Static && (!shaped || len(d.Problems) > 0):
	case d.Static:
		why := fmt.Sprintf("%s:%d: %s is static, so it cannot be called from outside; remove static", d.File, d.Line,
			d.Name)
		f.candidates = append(f.candidates, candidate{name: d.Name, problem: why, detail: why})
	default:
		f.candidates = append(f.candidates, candidate{
			name: d.Name, problem: d.Problems[0].Brief(), detail: d.Problems[0].Error(), remedies: completed(d),
		})
	}
}

// completed returns the call of a function of which nothing but shapes and names is missing, with those that it most likely
// has.
func completed(d *declarations.Function) []remedy.Remedy {
	text, ok := d.Shaped()
	if !ok {
		return nil
	}
	list, err := declarations.ReadPrototypes(prototypeFile, text, declarations.Names{})
	if err != nil {
		return nil
	}
	s, err := signatureOf(&list[0])
	if err != nil {
		return nil
	}
	prototype, err := s.prototype(nil)
	if err != nil {
		return nil
	}
	var described invocations.Function
	if err := prototype.Describe(&described, nil); err != nil {
		return nil
	}
	var values []string
	for _, p := range described.Parameters {
		values = append(values, p.Name+"="+p.Example)
	}
	return []remedy.Remedy{{Kind: remedy.Call, Name: d.Name, Value: text, Parameters: strings.Join(values, " ")}}
}
