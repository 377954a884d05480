package measureflags

import (
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
	"zonemark/invocations/suite"

	"github.com/spf13/pflag"
)

// keyFlags are the flags that set the same as keys of suites.
type keyFlags struct {
	set       *pflag.FlagSet
	inv       *invocations.Invocation // the invocation that the flags set; it holds their defaults
	runtimes  runtimes.Table
	setOption func(name, value string)
	left      []suite.Key // keys that have no flag yet
}

// add adds the flags with these names or, without names, all that are left. Their order is the order in the help.
func (k *keyFlags) add(names ...string) {
	for _, name := range names {
		if i := slices.IndexFunc(k.left, func(key suite.Key) bool { return key.Flag == name }); i >= 0 {
			k.addKey(k.left[i])
			k.left = slices.Delete(k.left, i, i+1)
		}
	}
	if len(names) == 0 {
		for _, key := range k.left {
			k.addKey(key)
		}
		k.left = nil
	}
}

// addKey adds the flag of a key, if it has one.
func (k *keyFlags) addKey(key suite.Key) {
	if key.Flag == "" {
		return
	}
	k.addFlag(key, key.Flag, key.Usage)
	if key.Alias != "" {
		cli.Formerly(k.set, key.Flag, key.Alias)
	}
}

func (k *keyFlags) addFlag(key suite.Key, name, usage string) {
	switch field := key.Field(k.inv).(type) {
	case *bool:
		k.set.BoolVarP(field, name, key.Short, *field, usage)
	case *uint64:
		k.set.Uint64VarP(field, name, key.Short, *field, usage)
	case *float64:
		k.set.VarP(cli.Fraction(field), name, key.Short, usage)
	case *invocations.Mode:
		k.addMode(field, name, usage)
	case *invocations.When:
		k.set.Var(cli.Choice(field, invocations.Whens()), name, usage)
	case *invocations.Placement:
		k.set.Var(cli.Choice(field, invocations.Placements()), name, usage)
	case *string:
		if key.Name == "runtime" {
			usage += ": " + strings.Join(k.runtimes.Names(), ", ")
		}
		k.set.StringVarP(field, name, key.Short, *field, usage)
		switch key.Name {
		case "runtime":
			cli.Takes(k.set, name, k.runtimes.Names())
		case "sandbox_profile":
			cli.Takes(k.set, name, []string{string(sandbox.Plain), string(sandbox.Device)})
		}
	case *int:
		if key.Kind == suite.CPU {
			k.set.VarP(cli.CPU(field), name, key.Short, usage)
		} else {
			k.set.VarP(cli.Count(field), name, key.Short, usage)
		}
	case *int64:
		k.set.VarP(numberFlag(key.Kind, field), name, key.Short, usage)
	}
}

// addMode adds the flag for modes. Runtimes add words for their options to its values.
func (k *keyFlags) addMode(field *invocations.Mode, name, usage string) {
	words := []invocations.Mode{invocations.Warm, invocations.Cold, invocations.Flush, invocations.Serialized}
	options := k.runtimes.Modes()
	for _, mode := range options {
		usage += "; " + mode.Name + ": " + mode.Usage + " (warm, or as a second --mode says)"
	}
	k.set.Var(modeValue(cli.Choice(field, words), options, k.setOption), name, usage)
}

// numberFlag returns the flag for a number of 64 bits.
func numberFlag(kind suite.Kind, field *int64) cli.FlagValue {
	switch kind {
	case suite.Duration:
		return cli.Duration(field)
	case suite.Size:
		return cli.Bytes(field)
	case suite.Megabytes:
		return cli.Mebibytes(field)
	}
	return cli.Count(field)
}
