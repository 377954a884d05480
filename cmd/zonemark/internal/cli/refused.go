package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// Refuse adds a flag that help does not show. Who gives it is told why the verb does not have it, and what to do.
func Refuse(set *pflag.FlagSet, name, why string) {
	set.Var(refused(why), name, "")
	set.Lookup(name).Hidden, set.Lookup(name).NoOptDefVal = true, "true" // the reason comes with a value or without
}

// refused is the value of a flag that a verb does not have.
type refused string

func (refused) String() string     { return "" }
func (refused) Type() string       { return "" }
func (r refused) Set(string) error { return errors.New(string(r)) }
