package cli

import (
	"cmp"
	"slices"
	"strings"

	"zonemark/invocations/remedy"
	"zonemark/invocations/shellwords"
)

// Remedy says what a user may do about an error, with the flags and verbs of the command line.
func Remedy(r remedy.Remedy) string {
	switch r.Kind {
	case remedy.Parameter:
		return "give it with --param " + r.Name + "=" + cmp.Or(r.Value, "VALUE")
	case remedy.Parameters:
		return "give them with --param " + r.Name + "=" + cmp.Or(r.Value, "VALUE")
	case remedy.Each:
		return "give each one, such as --param " + r.Name + "=" + r.Value
	case remedy.Shape:
		return "give it, as in --input=" + r.Value
	case remedy.Sizes:
		return "give each one a size, such as" + flagged("--dim", r.Value)
	case remedy.Values:
		return "say it by" + flagged("--param", r.Value)
	case remedy.Expected:
		return "give what is expected of its outputs instead (--expected-output)"
	case remedy.Prototype:
		return "say how a C function is called: --function '" + cmp.Or(r.Value, "PROTOTYPE") + "'"
	case remedy.Call:
		text := "say how it is called:"
		for _, word := range CallFlags(r) {
			if strings.Contains(word, " ") { // a prototype, which has no quotes
				word = "'" + word + "'"
			}
			text += " " + word
		}
		return text
	case remedy.Options:
		return "give it like this: " + shellwords.Line(OptionFlags(r)...)
	case remedy.Choose:
		return "choose --" + r.Name + " " + r.Value
	case remedy.Raise:
		return "raise --" + r.Name + " if it takes longer"
	case remedy.Say:
		return "say by --" + r.Name + " " + r.Value
	case remedy.File:
		return "name " + r.Value + " by " + place(r)
	case remedy.SetsSize:
		return "give the size of the argument sets by --input-sets-minimum-size-mb"
	case remedy.EmptyCaches:
		return "--prepare runs a command that empties caches before each call"
	case remedy.Readable:
		return "--sandbox-read PATH lets native code read a file or folder that the sandbox hides"
	case remedy.Install:
		return `run "zonemark setup ` + r.Name + `"`
	case remedy.Reinstall:
		return `"zonemark setup ` + r.Name + `" installs ` + cmp.Or(r.Value, "it") + " again"
	case remedy.Package:
		return "install it (Debian, Ubuntu: apt install " + r.Name + ")"
	case remedy.Instead:
		return "write " + r.Value + " instead of " + r.Name
	case remedy.Generated:
		return "parameters of a generator are given by --generator-param"
	case remedy.ListPeaks:
		return `"zonemark peaks --dry-run" shows what it has`
	}
	return r.String()
}

// Given returns arguments with the flags that do what a remedy says, in place of those that gave the same thing another
// value; nil if the user has to say more.
func Given(args []string, r remedy.Remedy) []string {
	flag, lines := "--param", r.Value
	switch r.Kind {
	case remedy.Values:
	case remedy.Sizes:
		flag = "--dim"
	case remedy.Parameter, remedy.Parameters:
		lines = r.Name + "=" + r.Value
	case remedy.Choose:
		flag = "--" + r.Name
		lines, _, _ = strings.Cut(r.Value, " ") // "none or manual"
	default:
		return nil
	}
	if r.Value == "" {
		return nil
	}
	for line := range strings.SplitSeq(lines, "\n") {
		name, _, assigned := strings.Cut(line, "=")
		list := ValuesOf(flag, args)
		at := slices.IndexFunc(list, func(g Value) bool { return !assigned || strings.HasPrefix(g.Text, name+"=") })
		if at < 0 {
			list, at = []Value{{"", len(args), len(args)}}, 0
			if end := slices.Index(args, "--"); end >= 0 {
				list[0].Begin, list[0].End = end, end
			}
		}
		args = list[at].Replaced(args, flag, line)
	}
	return args
}

// CallFlags returns the flags that make the call of a remedy.
func CallFlags(r remedy.Remedy) (words []string) {
	if r.Value != "" {
		for prototype := range strings.SplitSeq(r.Value, "\n") {
			words = append(words, "--function", prototype)
		}
	}
	for _, p := range strings.Fields(r.Parameters) {
		words = append(words, "--param", p)
	}
	return words
}

// OptionFlags returns the flags that give the options of a remedy.
func OptionFlags(r remedy.Remedy) (words []string) {
	for line := range strings.SplitSeq(r.Value, "\n") {
		name, value, _ := strings.Cut(line, "=")
		words = append(words, "--"+name, value)
	}
	return words
}

// Completed returns the remedy Options in words: the whole command, of whose words behind "zonemark" those are that were
// given.
func Completed(given []string, r remedy.Remedy) string {
	return "this gives it: zonemark " + shellwords.Line(append(slices.Clone(given), OptionFlags(r)...)...)
}

// WithRemedies returns an error whose text has its remedies; err itself if there are none.
func WithRemedies(err error) error {
	if list := remedy.Of(err); len(list) > 0 {
		return &remedied{remedy.Tell(err.Error(), list, Remedy), err}
	}
	return err
}

type remedied struct {
	text string
	err  error
}

func (e *remedied) Error() string { return e.text }
func (e *remedied) Unwrap() error { return e.err }

// place returns where a file is named: by a flag, a variable of the environment, or either.
func place(r remedy.Remedy) string {
	switch {
	case r.Name == "":
		return r.Variable
	case r.Variable == "":
		return "--" + r.Name
	}
	return "--" + r.Name + " or by the variable " + r.Variable
}

// flagged returns lines as values of a flag, as a shell takes them.
func flagged(flag, lines string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(lines, "\n") {
		if strings.ContainsAny(line, " '\"$`\\;&|<>()*?[]#~!") {
			line = "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
		}
		b.WriteString(" " + flag + " " + line)
	}
	return b.String()
}
