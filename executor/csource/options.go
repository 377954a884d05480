package csource

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/cfunction/compilerflags"
	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/toolchain"
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
				"what names a function takes one, too"},
		{Name: OptionHeader, Placeholder: "file", Kind: invocations.FileOption,
			Usage: "header with the prototypes of the functions of a library, or of a C file"},
		{Name: OptionSource, Placeholder: "file", Kind: invocations.FilesOption,
			Usage: "further C or C++ source, object or archive of which the library is made; repeatable"},
		{Name: OptionInit, Placeholder: "name",
			Usage: "function without parameters that sets the library up, called once in each executor before all " +
				"others: a name or a prototype; 'sodium_init >= 0' also asks for what it returns; several are " +
				"separated by semicolons"},
		{Name: OptionCFlags, Placeholder: "words", Foreign: compilerflags.Check,
			Usage: "flags with which C files are compiled, such as '-O3 -march=native'; -O2 if there are none"},
		{Name: OptionCC, Placeholder: "program", Foreign: compilerflags.CheckCompiler,
			Usage: "C compiler; if none is named, the one that CC names, or else cc, gcc or clang"},
	}
}

// flags are the flags of one compilation.
type flags struct {
	compile []string // before the input
	link    []string // after it
}

// parseFlags splits the words of OptionCFlags. It refuses flags that would change what is made of the file or where. Paths
// become absolute, since the compiler works in other folders.
func parseFlags(text string) (flags, error) {
	f := flags{compile: []string{"-fPIC"}}
	optimized := false
	for _, flag := range strings.Fields(text) {
		starts := func(prefix string) bool { return strings.HasPrefix(flag, prefix) }
		switch {
		case !starts("-") && (toolchain.IsStatic(flag) || toolchain.IsCXX(flag)):
			return f, remedy.With(fmt.Errorf("%s: %q is no flag", OptionCFlags, flag),
				remedy.Remedy{Kind: remedy.File, Name: OptionSource, Value: "it"})
		case !starts("-"):
			return f, fmt.Errorf("%s: %q is no flag; write flag and value in one word, such as -Iinclude",
				OptionCFlags, flag)
		case starts("-o"), flag == "-c", flag == "-E", flag == "-S", starts("-M"), starts("-x"),
			slices.Contains([]string{"-I", "-L", "-D", "-U", "-l"}, flag):
			return f, fmt.Errorf("%s: %q cannot be given here; leave it out, or write its value in the same word",
				OptionCFlags, flag)
		case starts("-I"), starts("-L"):
			path, err := filepath.Abs(flag[2:])
			if err != nil {
				return f, fmt.Errorf("%s: %w", OptionCFlags, err)
			}
			flag = flag[:2] + path
		}
		if starts("-l") || starts("-L") || starts("-Wl,") {
			f.link = append(f.link, flag)
			continue
		}
		optimized = optimized || starts("-O")
		f.compile = append(f.compile, flag)
	}
	if !optimized {
		f.compile = append([]string{"-O2"}, f.compile...)
	}
	return f, nil
}

// prototypeFile stands for the text of OptionPrototype in messages.
const prototypeFile = "prototype"

// PrototypeName returns the name of the function of a prototype. A name of a type or of a constant that is not known may
// be that of a header, so it is no error yet.
func PrototypeName(text string) (string, error) {
	list, err := declarations.ReadPrototypes(prototypeFile, text, declarations.Names{})
	var problem *declarations.Problem
	if errors.As(err, &problem) && problem.Kind == declarations.UnknownName {
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
