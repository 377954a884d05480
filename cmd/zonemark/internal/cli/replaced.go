package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Replaced returns arguments with words in the place of a flag of the set and its value, or behind them if the flag is not
// among them. What follows "--" stays.
func Replaced(set *pflag.FlagSet, args []string, name string, words ...string) (out []string) {
	end := len(args)
	if at := slices.Index(args, "--"); at >= 0 {
		end = at
	}
	for i := 0; i < end; i++ {
		f, joined := flagAt(set, args[i])
		if f == nil || f.Name != name && !slices.Contains(FormerSpellings(set.Lookup(name)), f.Name) {
			out = append(out, args[i])
			continue
		}
		if !joined && f.NoOptDefVal == "" {
			i++
		}
		out, words = append(out, words...), nil
	}
	return slices.Concat(out, words, args[end:])
}

// Value is what arguments give to a flag, in the words from Begin up to End.
type Value struct {
	Text       string
	Begin, End int
}

// ValuesOf returns the values that arguments give to a flag, with its dashes: "--flag value" and "--flag=value". What
// follows "--" is none.
func ValuesOf(flag string, args []string) (list []Value) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if text, joined := strings.CutPrefix(args[i], flag+"="); joined {
			list = append(list, Value{text, i, i + 1})
		} else if args[i] == flag && i+1 < len(args) {
			list = append(list, Value{args[i+1], i, i + 2})
			i++
		}
	}
	return list
}

// Replaced returns arguments with words in the place of a flag with its value.
func (v Value) Replaced(args []string, words ...string) []string {
	return slices.Concat(args[:v.Begin], words, args[v.End:])
}

// Apart returns the words of arguments that are flags of the set, with their values, and the other ones.
func Apart(set *pflag.FlagSet, args []string) (flags, others []string) {
	for i := 0; i < len(args); i++ {
		f, joined := flagAt(set, args[i])
		if f == nil {
			others = append(others, args[i])
			continue
		}
		flags = append(flags, args[i])
		if !joined && f.NoOptDefVal == "" && i+1 < len(args) {
			i++
			flags = append(flags, args[i])
		}
	}
	return flags, others
}

// LeaveOut returns the error about flags that do not go with others, with the command that lacks them.
func LeaveOut(set *pflag.FlagSet, args []string, text string, names ...string) error {
	for _, name := range names {
		args = Replaced(set, args, name)
	}
	return &Signpost{text, CommandLine(set.Name(), args...)}
}

// flagAt returns the flag of the set that a word is, and whether its value is in the same word; nil if it is none.
func flagAt(set *pflag.FlagSet, word string) (f *pflag.Flag, joined bool) {
	if long, is := strings.CutPrefix(word, "--"); is && long != "" {
		long, _, joined = strings.Cut(long, "=")
		return set.Lookup(long), joined
	}
	if len(word) > 1 && word[0] == '-' {
		return set.ShorthandLookup(word[1:2]), len(word) > 2
	}
	return nil, false
}
