package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"zonemark/invocations/remedy"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"
)

// Instead returns the whole command with what was meant in the place of a mistaken word: r is the remedy of that kind,
// and args are the words behind the verb. It returns "" if none of them has the word, which may stand alone, in a list,
// in an assignment, or as the function of a prototype.
func Instead(verb string, args []string, r remedy.Remedy) string {
	if r.Name == "" || r.Value == "" { // nothing is near
		return ""
	}
	mistaken := regexp.MustCompile(`(^|[=,:])` + regexp.QuoteMeta(r.Name) + `($|[=,:])`)
	function := regexp.MustCompile(`([ *])` + regexp.QuoteMeta(r.Name) + `(\()`) // of a prototype
	meant := "${1}" + strings.ReplaceAll(r.Value, "$", "$$") + "${2}"
	words := slices.Clone(args)
	for i, word := range words {
		if word == "--" {
			break
		}
		if !Exists(word) { // a file has its name
			words[i] = function.ReplaceAllString(mistaken.ReplaceAllString(word, meant), meant)
		}
	}
	if slices.Equal(words, args) {
		return ""
	}
	return CommandLine(verb, words...)
}

// Misspelt returns the error about a word that is none of the known ones. Its text ends with the nearest one or, if none is
// near, with the known ones; it is printed with the whole command that has the nearest one.
func Misspelt(text, word string, known []string) error {
	text += spelling.SuggestOrList(word, known)
	if near := spelling.Nearest(word, known); near != "" {
		return remedy.New(text, remedy.Remedy{Kind: remedy.Instead, Name: word, Value: near})
	}
	return errors.New(text)
}

// mended returns a line with the whole command in which a word that an error is about is what was meant, or which first
// makes the folder that is missing; "" if no remedy of the error says what that is, or the text has the command.
func (s Streams) mended(err error, text string) string {
	var missing *folderError
	if errors.As(err, &missing) && len(s.Arguments) > 0 {
		return "\n  mkdir -p " + shellwords.Line(missing.folder) + " && zonemark " + shellwords.Line(s.Arguments...)
	}
	for _, r := range remedy.Of(err) {
		if r.Kind != remedy.Instead || len(s.Arguments) == 0 {
			continue
		}
		verb, args := s.Arguments[0], s.Arguments[1:]
		command := Instead(verb, args, r)
		if at := slices.Index(args, "--") + 1; command == "" && at > 0 && at < len(args) && args[at] == r.Name { // a program
			command = CommandLine(verb, slices.Concat(args[:at], []string{r.Value}, args[at+1:])...)
		}
		if command != "" && !strings.Contains(text, command) {
			return "\n  " + command
		}
	}
	return ""
}

// WithInstead returns an error with the whole command that has what was meant, if a remedy of the error says what that
// is; else err itself.
func WithInstead(err error, verb string, args []string) error {
	for _, r := range remedy.Of(err) {
		if r.Kind != remedy.Instead {
			continue
		}
		if command := Instead(verb, args, r); command != "" {
			return &Signpost{err.Error(), command}
		}
	}
	return err
}

// WithOther returns arguments in which the name of a file that is there is replaced by a free one, as "old-2.ndjson"
// for "old.ndjson"; nil if the name is not among them.
func WithOther(args []string, path string) []string {
	free, extension := "", filepath.Ext(path)
	for n := 2; free == "" && n < mostNames; n++ {
		if name := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, extension), n, extension); !Exists(name) {
			free = name
		}
	}
	for i, word := range args {
		before, is := strings.CutSuffix(word, path)
		flag := strings.HasPrefix(before, "-") && strings.HasSuffix(before, "=")
		if is && free != "" && (before == "" || before == "-o" || flag) {
			return slices.Concat(args[:i], []string{before + free}, args[i+1:])
		}
	}
	return nil
}
