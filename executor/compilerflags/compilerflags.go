// Package compilerflags says which flags of C compilers packages, suites and bundles may bring. It is a list of whole
// flags that change code only: none of them names a file, loads code into the compiler, or starts a program. What a
// user writes on the command line does not pass here.
//
// The flags are those of GCC and Clang.
package compilerflags

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/lazyregexp"
)

// Split returns the flags of a text that comes with a package, a suite or a bundle. The error names the first flag that
// may not come so.
func Split(text string) ([]string, error) {
	flags := strings.Fields(text)
	for _, flag := range flags {
		if !Harmless(flag) {
			return nil, fmt.Errorf("the flag %.80q is none of those that change code only, and others could have the "+
				"compiler read or write files, or load code", flag)
		}
	}
	return flags, nil
}

// Check is Split for those who need no flags.
func Check(text string) error {
	_, err := Split(text)
	return err
}

// CheckCompiler returns an error for a compiler, with its flags, that may not come with a suite or a bundle: only one of
// the system's by the name of a C compiler may.
func CheckCompiler(text string) error {
	program, flags, _ := strings.Cut(strings.TrimSpace(text), " ")
	if program != "" && !compilerName().MatchString(program) {
		return fmt.Errorf("%.80q is not the name of a C compiler, such as cc, gcc-14 or clang, of this system", program)
	}
	return Check(flags)
}

// Harmless reports whether a flag, with its value in the same word, changes code only.
func Harmless(flag string) bool {
	name, value, valued := strings.Cut(flag, "=")
	switch {
	case slices.Contains(strings.Fields(plain), flag), level().MatchString(flag), definition().MatchString(flag),
		library().MatchString(flag), builtin().MatchString(flag):
		return true
	case strings.HasPrefix(flag, "-I"):
		return localFolder(flag[len("-I"):])
	case valued && !word().MatchString(value):
		return false
	case strings.HasPrefix(flag, "-W"):
		return warning().MatchString(name)
	case valued:
		return slices.Contains(strings.Fields(valuedNames), name)
	case strings.HasPrefix(flag, "-f"):
		return slices.Contains(strings.Fields(features), "-f"+strings.TrimPrefix(name[len("-f"):], "no-"))
	case strings.HasPrefix(flag, "-m"):
		positive := "-m" + strings.TrimPrefix(name[len("-m"):], "no-")
		return extension().MatchString(positive) || slices.Contains(strings.Fields(machine), positive)
	}
	return false
}

// localFolder reports whether a path stays below the folder that it starts from.
func localFolder(path string) bool {
	return filepath.IsLocal(path) && !strings.ContainsAny(path, "\x00\r\n,") && path[0] != '-' && path[0] != '@'
}

var (
	compilerName = lazyregexp.New(`^(/usr(/local)?/bin/)?([a-z0-9_]+-)*(cc|gcc|clang|icx)(-[0-9.]+)?$`)
	level        = lazyregexp.New(`^(-O([0-3gsz]|fast)?|-g([0-3]|gdb[0-3]?|dwarf(-[2-5])?)?)$`)
	definition   = lazyregexp.New(`^-(U[A-Za-z_]\w*|D[A-Za-z_]\w*(\([\w,.]*\))?(=[ -~]*)?)$`)
	library      = lazyregexp.New(`^-l:?[A-Za-z0-9_][A-Za-z0-9_+.-]*$`)
	word         = lazyregexp.New(`^[A-Za-z0-9_+.:-]+$`)
	warning      = lazyregexp.New(`^-W(no-)?[a-z][a-z0-9+-]*$`) // those with a comma hand words to other programs
	builtin      = lazyregexp.New(`^-fno-builtin-\w+$`)
	extension    = lazyregexp.New(`^-m(avx|sse|ssse|amx-|fma|bmi|xsave)[a-z0-9.-]*$`)
)
