package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

// The annotations of a flag: what other programs call it, and which flag of theirs is not needed, with the reason.
const (
	elsewhereAnnotation = "elsewhere"
	needlessAnnotation  = "needless"
)

// Elsewhere tells what other programs call the flag name, so that an error about theirs can name it: words, or single
// letters. A word with a value, "export-csv=csv", stands for the flag with this value.
func Elsewhere(set *pflag.FlagSet, name string, others ...string) {
	if err := set.SetAnnotation(name, elsewhereAnnotation, others); err != nil {
		panic(err) // the flag was added just before
	}
}

// Needless tells that a flag of other programs, which is about the same as the flag name, is not needed.
func Needless(set *pflag.FlagSet, name, other, why string) {
	if err := set.SetAnnotation(name, needlessAnnotation, []string{other, why}); err != nil {
		panic(err) // the flag was added just before
	}
}

// needless returns why a flag of other programs is not needed, "" if it is none.
func needless(set *pflag.FlagSet, name string) (why string) {
	set.VisitAll(func(f *pflag.Flag) {
		if a := f.Annotations[needlessAnnotation]; len(a) == 2 && a[0] == name {
			why = a[1]
		}
	})
	return why
}

// meant returns the flag that a user of another program means by a name, with dashes, and the value for which the name
// stands there, if any. It returns nil if no flag is called so elsewhere.
func meant(set *pflag.FlagSet, name string) (found *pflag.Flag, value string) {
	name = string(NormalizeFlag(nil, name))
	set.VisitAll(func(f *pflag.Flag) {
		for _, other := range f.Annotations[elsewhereAnnotation] {
			if word, fixed, _ := strings.Cut(other, "="); word == name {
				found, value = f, fixed
			}
		}
	})
	return found, value
}

// FlagError adds the flag that was probably meant to an error about an unknown one among args, and the whole command
// with it. It returns other errors, and nil, as they are.
func FlagError(err error, set *pflag.FlagSet, args []string) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	given, name := "--"+unknown.GetSpecifiedName(), unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		given = "-" + name
	}
	if why := needless(set, name); why != "" {
		return fmt.Errorf("%s is not needed: %s", given, why)
	}
	if f, value := meant(set, name); f != nil {
		ours := "--" + f.Name
		if value != "" {
			return fmt.Errorf("%s is %s=%s here", given, ours, value)
		}
		return withCommand(fmt.Sprintf("%s is %s here", given, ours), corrected(set, args, given, f))
	}
	if given == "-"+name {
		return err
	}
	var names []string
	spelled := map[string]*pflag.Flag{} // older spellings included
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			for _, name := range append([]string{f.Name}, FormerSpellings(f)...) {
				names, spelled[name] = append(names, name), f
			}
		}
	})
	f := spelled[spelling.Nearest(name, names)]
	if f == nil {
		return err
	}
	return withCommand(fmt.Sprintf("%v; did you mean --%s?", err, f.Name), corrected(set, args, given, f))
}

// Signpost is an error that a changed command mends.
type Signpost struct {
	Text    string
	Command string // to paste
}

func (s *Signpost) Error() string { return s.Text + " " + s.Command }

// withCommand returns an error with a command, if there is one.
func withCommand(text, command string) error {
	if command == "" {
		return errors.New(text)
	}
	return &Signpost{text, command}
}

// CommandLine returns a command line of zonemark: a verb, and words.
func CommandLine(verb string, words ...string) string {
	return "zonemark " + verb + " " + shellwords.Line(words...)
}

// corrected returns the whole command with the flag f in place of what was given, "" if that is not seen among args. The
// name of the set is that of the verb.
func corrected(set *pflag.FlagSet, args []string, given string, f *pflag.Flag) string {
	ours := "--" + f.Name
	for i, word := range args {
		if word == "--" {
			break
		}
		rest, is := strings.CutPrefix(word, given)
		if !is {
			continue
		}
		words := slices.Clone(args)
		switch {
		case rest == "" || strings.HasPrefix(rest, "="):
			words[i] = ours + rest
		case strings.HasPrefix(given, "--"):
			continue
		case f.Value.Type() == "bool": // of several letters
			return ""
		default: // a letter with its value
			words[i] = ours + "=" + rest
		}
		return CommandLine(set.Name(), words...)
	}
	return ""
}
