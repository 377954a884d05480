// Package remedy says what a user may do about an error, without the words of an interface: which flag it is, or which
// key of a suite, is known to the command line only. It imports nothing of zonemark.
package remedy

import (
	"errors"
	"slices"
	"strings"
)

// Kind is the kind of a remedy. Each says which fields of a Remedy it has.
type Kind string

// The kinds. Programs that read them must take others for Act.
const (
	// Act is something that has no setting of its own; Value says it to people: "put zig on PATH".
	Act Kind = "act"
	// Parameter gives the parameter Name a value, such as Value; Parameters gives several values of it, and Each gives one
	// to each of several parameters, of which Name is the first.
	Parameter  Kind = "parameter"
	Parameters Kind = "parameters"
	Each       Kind = "each"
	// Values gives parameters values: Value holds NAME=VALUE lines.
	Values Kind = "values"
	// Shape gives an input the shape that its type leaves open, such as Value.
	Shape Kind = "shape"
	// Sizes gives each open dimension of a model a size: Value holds NAME=SIZE lines.
	Sizes Kind = "sizes"
	// Expected gives what is expected of the outputs.
	Expected Kind = "expected"
	// Prototype says how a C function is called.
	Prototype Kind = "prototype"
	// Call calls the function Name with Parameters, by the prototype Value if that is not empty. What was asked for
	// otherwise stays as it is.
	Call Kind = "call"
	// Options gives options values, so that all is said that an artifact needs to be built: Value holds NAME=VALUE lines.
	// NAME is that of a flag; one of a repeatable flag comes to those that were given.
	Options Kind = "options"
	// Choose gives the option Name another value, Value; Raise gives it a larger one.
	Choose Kind = "choose"
	Raise  Kind = "raise"
	// Say gives the option Name what Value describes.
	Say Kind = "say"
	// File names the file that Value describes, by the option Name or by the variable of the environment Variable. Either
	// may be empty.
	File Kind = "file"
	// SetsSize gives the least size of all argument sets.
	SetsSize Kind = "sets-size"
	// EmptyCaches gives a command that empties caches before each call.
	EmptyCaches Kind = "empty-caches"
	// Readable lets native code read files that the sandbox hides.
	Readable Kind = "readable"
	// Install installs the component Name of zonemark's own; Reinstall does so again. Value says what it is.
	Install   Kind = "install"
	Reinstall Kind = "reinstall"
	// Package installs the package Name of the system.
	Package Kind = "package"
	// Instead writes Value in the place of the mistaken word Name. The error itself says what was meant.
	Instead Kind = "instead"
	// Generated gives the parameter Name to the generator of an artifact, if the artifact has one. Without a generator,
	// the parameter Value was meant or, if that is empty, Name is left out.
	Generated Kind = "generated"
	// ListPeaks shows which peaks the processor has.
	ListPeaks Kind = "list-peaks"
)

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{Act, Parameter, Parameters, Each, Values, Shape, Sizes, Expected, Prototype, Call, Options, Choose, Raise, Say,
		File, SetsSize, EmptyCaches, Readable, Install, Reinstall, Package, Instead, Generated, ListPeaks}
}

// Remedy is something that a user may do. Which fields count is said by its kind.
type Remedy struct {
	Kind                  Kind
	Name, Value, Variable string
	Parameters            string // words NAME=VALUE
}

// String says a remedy to those who have no words for it; it is empty if the error is enough.
func (r Remedy) String() string {
	switch r.Kind {
	case Act:
		return r.Value
	case Instead, Generated:
		return ""
	}
	words := []string{string(r.Kind), r.Name, r.Value, r.Variable, r.Parameters}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// Error is an error with remedies: one of them is enough. Its text does not tell them.
type Error struct {
	Err      error
	Remedies []Remedy
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *Error) Unwrap() error { return e.Err }

// With adds remedies to an error.
func With(err error, list ...Remedy) error { return &Error{err, list} }

// New returns an error with a text and remedies.
func New(text string, list ...Remedy) error { return With(errors.New(text), list...) }

// Of returns the remedies of an error and of those that it wraps, each once.
func Of(err error) (list []Remedy) {
	add := func(more []Remedy) {
		for _, r := range more {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	switch e := err.(type) {
	case *Error:
		add(e.Remedies)
		add(Of(e.Err))
	case interface{ Unwrap() error }:
		add(Of(e.Unwrap()))
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			add(Of(one))
		}
	}
	return list
}

// Told returns the text of an error with its remedies, see Tell.
func Told(err error, words func(Remedy) string) string { return Tell(err.Error(), Of(err), words) }

// most is the number of remedies that are told: those of an executor may be anything.
const most = 8

// Tell returns the text of an error with remedies in words: "it has no value; give one, or choose another function".
// Those of a text of several lines have lines of their own. Without words, remedies say themselves. A remedy without
// words is left out. Words that begin with a line break stand on a line of their own. No error, which is an empty
// text, has none.
func Tell(text string, list []Remedy, words func(Remedy) string) string {
	if words == nil {
		words = Remedy.String
	}
	if text == "" {
		return ""
	}
	separator, next := "; ", ", or "
	if strings.Contains(text, "\n") {
		separator, next = "\n", "\nor "
	}
	for _, r := range list[:min(len(list), most)] {
		switch told := words(r); {
		case strings.HasPrefix(told, "\n"):
			text += told
		case told != "":
			text += separator + told
			if separator = next; strings.Contains(told, "\n") {
				separator = "\nor "
			}
		}
	}
	return text
}
