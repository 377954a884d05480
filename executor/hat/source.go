package hat

import (
	"fmt"
	"slices"
	"strings"
)

// A link target may be one file of C source. This extension of the format lets a package travel as text. The source is
// compiled into a shared library with the flags of compiled_with.flags. Because it is one file, its hash covers
// everything that it is made of except the system's headers.

// compileFlagPrefixes lists the flags that only change code. A package may not make the compiler read or write other
// files or load plug-ins.
var compileFlagPrefixes = []string{"-O", "-m", "-f", "-std=", "-D", "-U", "-W", "-w", "-g"}

// deniedFlagPrefixes lists the exceptions: flags below those prefixes that name files or programs.
var deniedFlagPrefixes = []string{"-fplugin", "-fprofile", "-fdump", "-fcallgraph", "-fauto-profile", "-fsanitize-",
	"-fdiagnostics", "-Wl,", "-Wa,", "-Wp,", "-wrapper", "-fuse-ld"}

// compileFlags returns the flags for compiling the source, from compiled_with.flags.
func (p *Package) compileFlags(input string) ([]string, error) {
	flags := []string{"-O2", "-fPIC"}
	for _, flag := range strings.Fields(p.CompilerFlags) {
		starts := func(prefix string) bool { return strings.HasPrefix(flag, prefix) }
		if !slices.ContainsFunc(compileFlagPrefixes, starts) || slices.ContainsFunc(deniedFlagPrefixes, starts) {
			return nil, fmt.Errorf("compiled_with.flags: %q is not taken for C source; leave only flags that start "+
				"with %s",
				flag, strings.Join(compileFlagPrefixes, ", "))
		}
		flags = append(flags, flag)
	}
	return append(flags, input, "-lm"), nil
}
