package csource

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/compilerflags"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// These are the keys of invocations.Artifact.Options for C functions.
const (
	OptionPrototype = "prototype" // prototypes, separated by semicolons
	OptionHeader    = "header"    // path of a file with prototypes
	OptionSource    = "source"    // paths of further sources, objects and archives
	OptionCFlags    = "cflags"    // words
	OptionCC        = "cc"        // the compiler; a program and perhaps words
)

// Options returns the options of C functions.
func Options() []invocations.Option {
	return []invocations.Option{
		{Name: OptionPrototype, Placeholder: "text",
			Usage: "prototype of a C function with the shapes of its arrays, such as " +
				"'void scale(long n, float a, float x[n])'; several are separated by semicolons; " +
				"a prototype may also stand in place of a function's name"},
		{Name: OptionHeader, Placeholder: "file", Kind: invocations.FileOption,
			Usage: "header with the prototypes of the functions of a library, or of a C file"},
		{Name: OptionSource, Placeholder: "file", Kind: invocations.FilesOption,
			Usage: "for C: another C or C++ source, object or archive for the library; repeatable"},
		{Name: OptionInit, Placeholder: "name",
			Usage: "function without parameters that sets the library up, called once in each executor before all " +
				"others: a name or a prototype; 'sodium_init >= 0' also checks what it returns; several are " +
				"separated by semicolons"},
		{Name: OptionCFlags, Placeholder: "words", Foreign: compilerflags.Check,
			Usage: "for C: flags of the compiler, such as '-O3 -march=native'; -O2 if there are none"},
		{Name: OptionCC, Placeholder: "program", Foreign: compilerflags.CheckCompiler,
			Usage: "C compiler, instead of that of CC, or else cc, gcc or clang"},
	}
}

// flags are the flags of one compilation.
type flags struct {
	compile []string // before the input
	link    []string // after it
}

// parseFlags splits the words of OptionCFlags.
func parseFlags(text string) (flags, error) {
	words := strings.Fields(text)
	for _, word := range words {
		if !strings.HasPrefix(word, "-") && (toolchain.IsStatic(word) || toolchain.IsCXX(word)) {
			return flags{}, remedy.With(fmt.Errorf("%s: %q is no flag", OptionCFlags, word),
				remedy.Remedy{Kind: remedy.File, Name: OptionSource, Value: "it"})
		}
	}
	given, err := compilerflags.ParseGiven(words)
	if err != nil {
		return flags{}, fmt.Errorf("%s: %w", OptionCFlags, err)
	}
	f := flags{compile: append([]string{"-fPIC"}, given.Compile...), link: given.Link}
	if !slices.ContainsFunc(given.Compile, func(flag string) bool { return strings.HasPrefix(flag, "-O") }) {
		f.compile = append([]string{"-O2"}, f.compile...)
	}
	return f, nil
}

// prototypeFile stands for the text of OptionPrototype in messages.
const prototypeFile = "prototype"

// PrototypeName returns the name of the function of a prototype. A name of a type or of a constant that is not known may
// be that of a header, so it is no error yet.
func PrototypeName(text string) (string, error) {
	list, err := readPrototypes(text, declarations.Names{})
	var problem *declarations.Problem
	if errors.As(err, &problem) &&
		(problem.Kind == declarations.UnknownName || problem.Kind == declarations.UnknownType) {
		list, _ = declarations.Read(prototypeFile, text)
		err = nil
	}
	switch {
	case err != nil:
		return "", err
	case len(list) > 1:
		return "", fmt.Errorf("%q: these are %d prototypes; give them one by one", text, len(list))
	}
	return list[0].Name, nil
}
