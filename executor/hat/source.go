package hat

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/compilerflags"
)

// A link target may be one file of C source. This extension of the format lets a package travel as text. The source is
// compiled into a shared library with the flags of compiled_with.flags. Because it is one file, its hash covers
// everything that it is made of except the system's headers.

// compileFlags returns the flags for compiling the source, from compiled_with.flags.
func (p *Package) compileFlags(input string) ([]string, error) {
	given, err := compilerflags.Split(p.CompilerFlags)
	for _, flag := range given {
		if err == nil && strings.HasPrefix(flag, "-I") {
			err = fmt.Errorf("the flag %.80q: the source of a package is one file", flag)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("compiled_with.flags: %w; leave it out, or compile the source into a shared library and "+
			"name that in dependencies.link_target", err)
	}
	return slices.Concat([]string{"-O2", "-fPIC"}, given, []string{input, "-lm"}), nil
}
