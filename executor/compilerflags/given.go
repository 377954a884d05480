package compilerflags

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Given are the flags that a user gives for sources. Paths are absolute, since compilers work in other folders.
type Given struct {
	Compile   []string // before the input
	Link      []string // after it
	Headers   []string // folders of -I
	Libraries []string // folders of -L
}

// ParseGiven sorts flags. It refuses those that would change what is made of a source or where, and those whose value is
// another word.
func ParseGiven(words []string) (g Given, err error) {
	for _, flag := range words {
		starts := func(prefix string) bool { return strings.HasPrefix(flag, prefix) }
		switch {
		case !starts("-"):
			return g, fmt.Errorf("%q is no flag; write flag and value in one word, such as -Iinclude", flag)
		case starts("-o"), starts("-M"), starts("-x"),
			slices.Contains([]string{"-", "-c", "-E", "-S", "-I", "-L", "-D", "-U", "-l"}, flag):
			return g, fmt.Errorf("%q cannot be given here; leave it out, or write its value in the same word", flag)
		case starts("-I"), starts("-L"):
			path, err := filepath.Abs(flag[len("-I"):])
			if err != nil {
				return g, err
			}
			if starts("-L") {
				g.Libraries = append(g.Libraries, path)
			} else {
				g.Headers = append(g.Headers, path)
			}
			flag = flag[:len("-I")] + path
		}
		if starts("-l") || starts("-L") || starts("-Wl,") {
			g.Link = append(g.Link, flag)
		} else {
			g.Compile = append(g.Compile, flag)
		}
	}
	return g, nil
}
