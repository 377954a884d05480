package toolchain

import (
	"path/filepath"
	"strings"

	"zonemark/invocations/remedy"
)

// SharedFlag is the argument that asks for a shared library.
func SharedFlag(system string) string {
	if system == "darwin" {
		return "-dynamiclib"
	}
	return "-shared"
}

// LinkFlags returns the arguments that follow the output. They take whole archives, because nothing refers to their
// members. Where the linker can, they refuse undefined symbols, which would otherwise end the call. dependencies are
// flags that name other libraries.
func LinkFlags(system string, inputs []string, dependencies ...string) (flags []string) {
	if system != "darwin" {
		flags = append(flags, "-Wl,-z,defs")
	}
	for _, input := range inputs {
		archive := strings.HasSuffix(strings.ToLower(input), ".a") || strings.HasSuffix(strings.ToLower(input), ".lib")
		switch {
		case system == "darwin" && archive:
			flags = append(flags, "-Wl,-force_load,"+input)
		case archive:
			flags = append(flags, "-Wl,--whole-archive", input, "-Wl,--no-whole-archive")
		default:
			flags = append(flags, input)
		}
	}
	flags = append(append(flags, dependencies...), "-lm")
	if system == "linux" {
		flags = append(flags, "-lc")
	}
	return flags
}

// Linking returns the flags as the program takes them: a linker alone takes its own flags as they are.
func (c Compiler) Linking(flags []string) (list []string) {
	if name := filepath.Base(c.Command[0]); name != "ld" && name != "ld.lld" {
		return flags
	}
	for _, flag := range flags {
		list = append(list, strings.Split(strings.TrimPrefix(flag, "-Wl,"), ",")...)
	}
	return list
}

// LinkRemedies returns what the messages of a compiler that links static code usually ask for. undefined is what to do
// about symbols that no file defines, and missing about files that the linker does not find.
func LinkRemedies(undefined []remedy.Remedy, missing string) Remedies {
	return func(words string) []remedy.Remedy {
		switch {
		case strings.Contains(words, "-fPIC"), strings.Contains(words, "-fpic"):
			return act("compile the code with -fPIC")
		case Undefined(words):
			return undefined
		case strings.Contains(words, "file format not recognized"),
			strings.Contains(words, "incompatible"),
			strings.Contains(words, "wrong format"):
			return act("build the library for this machine")
		case strings.Contains(words, "cannot find"):
			return act(missing)
		}
		return act("correct the library or set CC to another compiler")
	}
}

func act(what string) []remedy.Remedy { return []remedy.Remedy{{Kind: remedy.Act, Value: what}} }

// Undefined reports whether a linker says that no file defines a symbol.
func Undefined(words string) bool {
	return strings.Contains(words, "undefined reference") || strings.Contains(words, "undefined symbol") ||
		strings.Contains(words, "Undefined symbols")
}
