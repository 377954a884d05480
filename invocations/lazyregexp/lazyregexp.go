// Package lazyregexp compiles regular expressions when they are first used. Every executor is a new process, and most of
// them use none of the program's expressions.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. It panics at its first call if the expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
