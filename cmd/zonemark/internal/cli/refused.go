package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// Refuse adds a flag that help does not show. Who gives it is told why the verb does not have it, and what to do.
func Refuse(set *pflag.FlagSet, name, why string) {
	set.Var(FlagValue{Keep: func(string) error { return errors.New(why) }}, name, "")
	set.Lookup(name).Hidden, set.Lookup(name).NoOptDefVal = true, "true" // the reason comes with a value or without
}
