// Package cli holds what the verbs of zonemark's command line share: streams and exit statuses, flag values and their
// errors, and a progress line. It knows no verb and nothing about measuring.
package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"syscall"

	"zonemark/invocations/foreign"
	"zonemark/invocations/remedy"

	"github.com/spf13/pflag"
)

// The exit statuses of zonemark.
const (
	ExitOK    = 0
	ExitError = 1 // an error, bad usage, or an interrupt
	ExitNotOK = 2 // an invocation did not end ok
)

// Streams are the streams of a verb: Out for reports, Err for messages.
type Streams struct {
	Out, Err io.Writer
	// Describe gets the help of a verb, and its flags, instead of the user. Nil: the user gets the text.
	Describe func(intro string, flags *pflag.FlagSet)
	// Arguments are the words of the command line behind "zonemark", for errors that show it mended. May be nil.
	Arguments []string
}

// Fail prints an error and returns the exit status for it. What the error quotes cannot control the terminal.
func (s Streams) Fail(format string, args ...any) int {
	text := fmt.Sprintf(format, args...)
	if strings.Contains(text, syscall.EMFILE.Error()) {
		text += "; zonemark's table of open files is full: allow more (ulimit -n), or close what it has inherited"
	}
	for _, arg := range args {
		if err, is := arg.(error); is {
			text += s.mended(err, text)
		}
	}
	s.Say("zonemark: %s", text)
	return ExitError
}

// Done prints the error with which a verb has ended, if there is one, and returns the exit status.
func (s Streams) Done(err error) int {
	if err != nil {
		return s.Fail("%v", err)
	}
	return ExitOK
}

// Misused prints what is wrong with a command line, and the command that mends it, or the one that shows its help:
// "zonemark " and help. It returns the exit status. Who has asked for help, see ErrHelp, has done nothing wrong.
func (s Streams) Misused(help string, err error) int {
	if errors.Is(err, ErrHelp) {
		return ExitOK
	}
	var post *Signpost
	if errors.As(err, &post) {
		return s.Fail("%v", post)
	}
	if command := s.mended(err, ""); command != "" {
		return s.Fail("%s%s", err.Error(), command)
	}
	text := err.Error()
	separator := "; "
	if strings.HasSuffix(text, "?") {
		separator = " "
	}
	return s.Fail("%s%s\"zonemark %s\" shows what there is", text, separator, help)
}

// Say prints a message for people. What it quotes cannot control the terminal.
func (s Streams) Say(format string, args ...any) {
	fmt.Fprintln(s.Err, foreign.Text(fmt.Sprintf(format, args...)))
}

// ErrHelp is the error of Parse after it has printed the help text. Misused knows it.
var ErrHelp = errors.New("help was asked for")

// NewFlagSet returns an empty set of flags. It keeps their order, accepts the spellings of older tools, and prints
// nothing by itself.
func NewFlagSet(name string) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SortFlags = false
	set.SetOutput(io.Discard) // errors and help are printed by Parse and Misused
	set.SetNormalizeFunc(NormalizeFlag)
	return set
}

// Parse reads args into set. If the user asks for help, it prints intro and the flags, or those of the topic that the user
// names after --help, and returns ErrHelp.
func Parse(set *pflag.FlagSet, s Streams, args []string, intro string) error {
	if err := checkValues(set, args); err != nil {
		return err
	}
	err := set.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp) && s.Describe != nil:
		s.Describe(intro, set)
		return ErrHelp
	case errors.Is(err, pflag.ErrHelp):
		text, err := Help(set, intro, wantedTopic(args), TerminalWidth(s.Out))
		if err != nil {
			return err
		}
		fmt.Fprint(s.Out, text)
		return ErrHelp
	}
	return FlagError(valueError(err, set, args), set, args)
}

// valuesAnnotation marks a flag with the words that it takes.
const valuesAnnotation = "values"

// Takes tells completion which words the flag name takes. The flag itself checks what it is given.
func Takes(set *pflag.FlagSet, name string, words []string) {
	if err := set.SetAnnotation(name, valuesAnnotation, words); err != nil {
		panic(err) // the flag was added just before
	}
}

// Words returns the words that a flag takes, nil if it takes others or none.
func Words(f *pflag.Flag) []string {
	if words := f.Annotations[valuesAnnotation]; words != nil {
		return words
	}
	if words := strings.Split(f.Value.Type(), "|"); len(words) > 1 {
		return words
	}
	return nil
}

// NormalizeFlag accepts the underscore and upper-case spellings of older tools, and the older spellings of the flags of
// a set (see Formerly). It is for pflag's SetNormalizeFunc. Without a set, only the letters count.
func NormalizeFlag(set *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if set == nil {
		return pflag.NormalizedName(name)
	}
	return pflag.NormalizedName(current(set, name))
}

// Compile compiles the regular expression that the flag name holds. The error names the flag.
func Compile(name, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		meant := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text)) // a pattern of a shell, or a name
		return nil, remedy.With(fmt.Errorf("%s: %w", name, err), remedy.Remedy{Kind: remedy.Instead, Name: text, Value: meant})
	}
	return re, nil
}
