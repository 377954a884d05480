// Package declarations reads declarations of C functions: their names, the types of their parameters, and the shapes of
// arrays as C99 writes them, "const float a[n][m]". It reads preprocessed source, headers, and prototypes that people
// write by hand. It does not check programs, which compilers do: what it does not understand at file scope it skips.
//
// The package knows C. It does not know what is done with functions, and starts no compiler.
package declarations

import (
	"fmt"
	"strings"

	"zonemark/executor/cfunction/sizes"
)

// Function is a declared or defined function.
type Function struct {
	Name       string
	Result     Type
	Parameters []Parameter
	File       string // in which it stands, as line markers or the caller name it
	Line       int    // 1-based
	Defined    bool   // it has a body
	Static     bool   // other files cannot call it
	// Problems say why the function cannot be called with what the declaration tells. Without problems, everything is
	// known: the types, and the shapes of all arrays.
	Problems []*Problem
}

// Type is a type of C without qualifiers.
type Type struct {
	Name     string // such as "unsigned long"; typedefs of arithmetic types are resolved
	Pointers int
	Const    bool // what is pointed to, or is an element, cannot be changed
	members  int  // of a structure of numbers of the type Name; 0: it is no structure
}

// Parameter is a parameter of a function. An array is a parameter with bounds.
type Parameter struct {
	Name   string
	Type   Type               // of an element, if there are bounds
	Bounds []sizes.Expression // of each dimension; nil for a parameter that is passed by value
}

// Problem is a place in a text and what is wrong there.
type Problem struct {
	File    string
	Line    int    // 1-based
	Column  int    // 1-based, in bytes
	Width   int    // of the marked text in bytes
	Source  string // the line
	Message string
	Kind    ProblemKind
}

// ProblemKind is a kind of problem that something beside the text may solve.
type ProblemKind byte

// The kinds of problems.
const (
	OtherProblem ProblemKind = iota
	UnknownName              // of a constant, which another text may define
	UnknownType              // which another text may define
	NoShape                  // a pointer to numbers, or to void, that does not tell how many there are
	NoName                   // a number that cannot be given a value since it has no name
)

// Brief returns the place and the message in one line.
func (p *Problem) Brief() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Error returns the place, the message, the line of the text, and a line that marks the place with carets.
func (p *Problem) Error() string {
	blank := func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}
	before := strings.Map(blank, p.Source[:min(p.Column-1, len(p.Source))])
	marked := []rune(p.Source[min(p.Column-1, len(p.Source)):min(p.Column-1+p.Width, len(p.Source))])
	return fmt.Sprintf("%s\n  %s\n  %s%s", p.Brief(), p.Source, before, strings.Repeat("^", max(1, len(marked))))
}

// Read returns the functions that a text of C declares, in the order of the text, and the names that it defines. A
// function that is declared several times is in the list several times. name is the file, until a line marker names
// another one.
func Read(name, text string) ([]Function, Names) {
	r := newReader(name, text, Names{})
	r.readAll()
	return r.functions, r.Names
}

// ReadPrototypes returns the functions of a text that holds nothing but prototypes, which may use names that other texts
// define. The semicolon after the last one may be missing. The error is the first *Problem; functions with problems are
// returned beside it. name stands for the file in messages.
func ReadPrototypes(name, text string, known Names) ([]Function, error) {
	r := newReader(name, text, known)
	r.readAll()
	for i := range r.functions {
		if problems := r.functions[i].Problems; len(problems) > 0 {
			return r.functions, problems[0]
		}
	}
	switch {
	case r.skipped != nil:
		return nil, r.skipped
	case len(r.functions) == 0:
		return nil, &Problem{File: name, Line: 1, Column: 1, Source: firstLine(text), Width: 1,
			Message: "there is no prototype of a function; " + prototypeRemedy}
	}
	return r.functions, nil
}

const prototypeRemedy = "write one such as void scale(long n, float a, float x[n])"

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
