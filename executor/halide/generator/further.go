package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/compilerflags"
	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
)

// Names of options, for remedies.
const (
	optionSource = "source"
	optionFlags  = "cflags"
)

// further are the files that a user has named beside the source of a generator.
type further struct {
	generator []string // C++ sources that are compiled with the generator
	functions []string // sources of functions that pipelines call
	objects   []string // objects and archives, which are linked into the library of the pipelines
}

var halideHeader = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]Halide\.h[>"]`)

// sort says what the further files are for. C++ sources that include Halide.h, or a file that does, belong to the
// generator. Others hold functions that pipelines call (define_extern).
func (o *opened) sort(paths []string) error {
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case ext == ".o" || ext == ".a":
			if _, err := os.Stat(path); err != nil {
				return err
			}
			o.further.objects = append(o.further.objects, path)
			continue
		case ext != ".c" && !isCPlusPlus(path):
			return remedy.With(fmt.Errorf("%s: it is no C or C++ source, object or archive", path),
				remedy.Remedy{Kind: remedy.Say, Name: optionFlags, Value: "which library it is (-LFOLDER -lNAME)"})
		}
		files, err := readSources(path, o.flags.Headers)
		if err != nil {
			return err
		}
		if o.executableNeeded() && slices.ContainsFunc(files, func(f sourceFile) bool {
			return halideHeader().MatchString(f.contents)
		}) {
			o.further.generator = append(o.further.generator, path)
			o.files = append(o.files, files...)
			continue
		}
		o.further.functions = append(o.further.functions, path)
	}
	return nil
}

// compileFunctions returns the objects of the functions that pipelines call.
func (o *opened) compileFunctions(ctx context.Context) (objects []string, err error) {
	for _, path := range o.further.functions {
		find, standard := o.t.findCXX, "-std=c++17"
		if strings.EqualFold(filepath.Ext(path), ".c") {
			find, standard = o.t.findCC, "-std=gnu11"
		}
		c, err := find(ctx)
		if err != nil {
			return nil, err
		}
		files, err := readSources(path, o.flags.Headers)
		if err != nil {
			return nil, err
		}
		args := slices.Concat([]string{standard, "-O2", "-fPIC"}, o.t.includes(), o.flags.Compile)
		k := &toolchain.Key{}
		k.Add("function", c.Version, strings.Join(c.Command, " "), o.t.Version)
		k.Add(args...)
		for _, f := range files {
			k.Add(f.path, f.contents)
		}
		const object = "function.o"
		folder, err := cached(o.cache, *k, []string{object}, func(folder string) error {
			return o.compileIn(ctx, c, path, folder, slices.Concat(args, []string{"-c", path, "-o",
				filepath.Join(folder, object)}))
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		objects = append(objects, filepath.Join(folder, object))
	}
	return append(objects, o.further.objects...), nil
}

// includes returns the flags for the headers that Halide brings.
func (t Toolchain) includes() []string {
	return []string{"-I" + filepath.Join(t.Folder, "include"), "-I" + filepath.Join(t.Folder, "share", "tools")}
}

// compileIn runs a compiler in the folder of a source; it writes to another one. What it says of errors is the error.
// Headers may also be in the folders of the flags.
func (o *opened) compileIn(ctx context.Context, c toolchain.Compiler, path, folder string, args []string,
	flags ...string) error {
	read := slices.Concat([]string{filepath.Dir(path), o.t.Folder}, o.flags.Headers, o.flags.Libraries)
	for _, further := range o.further.generator {
		read = append(read, filepath.Dir(further))
	}
	for _, flag := range flags {
		read = append(read, strings.TrimPrefix(flag, "-I"))
	}
	_, err := o.t.run(ctx, toolchain.Program{
		Command: slices.Concat(c.Command, args), Folder: filepath.Dir(path),
		Access: building.Access{Write: []string{folder}, Read: read, Programs: c.Command[1:]},
	})
	var failed *toolchain.FailedError
	if !errors.As(err, &failed) {
		return err
	}
	if symbols := undefinedSymbols(failed.Said); len(symbols) > 0 {
		return undefined("it does not link", symbols)
	}
	failure := fmt.Errorf("it does not compile: %s", toolchain.Diagnostics(failed.Said))
	if m := missingHeader().FindStringSubmatch(failed.Said); m != nil {
		return remedy.With(&lack{error: failure, need: neededHeader(m[1])}, remedy.Remedy{Kind: remedy.Say, Name: optionFlags, Value: "where the header is (-IFOLDER)"})
	}
	return failure
}

// undefined returns the error for symbols that nothing defines.
func undefined(what string, symbols []string) error {
	const shown = 8
	all := symbols
	if len(symbols) > shown {
		symbols = append(symbols[:shown:shown], fmt.Sprintf("… and %d more", len(symbols)-shown))
	}
	return remedy.With(
		&lack{error: fmt.Errorf("%s: nothing defines %s", what, strings.Join(symbols, ", ")), need: neededSymbols(all)},
		remedy.Remedy{Kind: remedy.File, Name: optionSource, Value: "the source or object that does"},
		remedy.Remedy{Kind: remedy.Say, Name: optionFlags, Value: "which library does (-lNAME)"})
}

var (
	missingHeader   = lazyregexp.New(`fatal error: '?([^'\n]+?)'?(?:: No such file| file not found)`)
	undefinedSymbol = lazyregexp.New("undefined (?:reference to|symbol:?) [`']?([^'\n]+?)'?(?:\n|$)")
)

// undefinedSymbols returns the symbols that a linker misses, each once.
func undefinedSymbols(output string) (list []string) {
	for _, m := range undefinedSymbol().FindAllStringSubmatch(output, -1) {
		if name := toolchain.FirstLines(m[1]); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// flagsOf sorts the flags that a user gives for sources. Programs find libraries where the linker has found them.
func flagsOf(words []string) (compilerflags.Given, error) {
	g, err := compilerflags.ParseGiven(words)
	if err != nil {
		return g, fmt.Errorf("%s: %w", optionFlags, err)
	}
	for _, folder := range g.Libraries {
		g.Link = append(g.Link, "-Wl,-rpath,"+folder)
	}
	return g, nil
}
