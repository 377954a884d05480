// Package cfunction calls functions as C calls them. A front end hands it a shared library with typed prototypes; it
// opens the library, gives values to what the prototypes leave open, lays the arguments out in memory, makes the call
// frames for the timing loop, and compares what functions write with what they should write.
//
// The package does not know where prototypes come from: it reads no text of C and no file that describes functions. It
// does not know how calls are timed or how results are shown.
package cfunction

import (
	"fmt"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// Library is what a front end hands over: a shared library, and the prototypes of its functions.
type Library struct {
	Of           string // the artifact that the user has named, for messages
	File         File
	Dependencies []File // opened before the library if they are there
	Functions    []Function
	Init         []InitFunction // called once, after the set-up functions among Functions
	// Other reads another artifact of the same kind, whose functions may be references. It is nil if they may not be.
	Other func(artifact invocations.Artifact) (*Library, error)
}

// File is a shared library to open.
type File struct {
	Path   string // absolute
	Name   string // for messages
	Remedy string // what to do if it cannot be opened, for messages
	Own    bool   // the user has named the file itself, and nothing else says what it needs
}

// Function is a function of a library.
type Function struct {
	Symbol    string
	Prototype *Prototype // nil if it is not understood
	// Err says why the function cannot be an invocation's. It is an *executor.UnsupportedError if this machine is to
	// blame. It is not nil if there is no prototype.
	Err error
	// SetUp functions are called once, in this order and with default arguments, before the first invocation.
	SetUp bool
}

// prototype returns the prototype of the function with exactly this symbol.
func (l *Library) prototype(symbol string) (*Prototype, error) {
	names := make([]string, len(l.Functions))
	for i, f := range l.Functions {
		if f.Symbol == symbol {
			if f.Err != nil {
				return nil, f.Err
			}
			return f.Prototype, nil
		}
		names[i] = f.Symbol
	}
	return nil, fmt.Errorf("%s describes no function %q%s", l.Of, symbol, spelling.SuggestOrList(symbol, names))
}
