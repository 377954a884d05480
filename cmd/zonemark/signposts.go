package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/spelling"
)

// signpost returns the error about a command line that begins with no subcommand. If the words tell what the user wants,
// the error has the command for it.
func signpost(p program.Program, args []string) error {
	word := args[0]
	none := fmt.Sprintf("no subcommand %q", word)
	if strings.HasPrefix(word, "-") {
		return &cli.Signpost{
			Text: fmt.Sprintf("%s stands before a subcommand; to measure:", word), Command: cli.CommandLine("run", args...),
		}
	}
	if verb := verbFor(p, word); verb != "" {
		return &cli.Signpost{Text: none + "; it is a file:", Command: commandOf(verb, args...)}
	}
	if verb := verbsElsewhere[word]; verb != "" && len(args) > 1 {
		takes := verbFor(p, args[1])
		if takes == verb || takes == "report" && verb == "compare" || takes == "" && verb == "report" && cli.Exists(args[1]) {
			return &cli.Signpost{Text: none + "; it is " + verb + " here:", Command: commandOf(verb, args[1:]...)}
		}
	}
	for _, verb := range []string{"trace", "halide", "farm"} {
		if slices.ContainsFunc(verbsOf(verb), func(c subcommand) bool { return c.name == word }) {
			return &cli.Signpost{Text: none + "; it is a verb of " + verb + ":",
				Command: cli.CommandLine(verb+" "+word, args[1:]...)}
		}
	}
	if strings.ContainsAny(word, "|<>&;$*") {
		return &cli.Signpost{
			Text: none + "; to measure this line of a shell:", Command: cli.CommandLine("run --shell --", args...),
		}
	}
	if words := append(strings.Fields(word), args[1:]...); len(words) > 1 && cli.IsProgram(words[0]) {
		return &cli.Signpost{Text: none + "; to measure this command:", Command: cli.CommandLine("run --", words...)}
	}
	return errors.New(none + spelling.Suggest(word, commandNames()))
}

// verbsElsewhere has what other programs call verbs.
var verbsElsewhere = map[string]string{
	"measure": "run", "benchmark": "run", "time": "run", "exec": "run", "diff": "compare", "cmp": "compare",
	"plot": "report", "show": "report", "view": "report", "html": "report", "export": "report",
}

// commandOf returns the command line of a verb with words, the first of which is a file. A report gets a name.
func commandOf(verb string, words ...string) string {
	if verb == "report" {
		words = append(slices.Clone(words), "--html", strings.TrimSuffix(words[0], filepath.Ext(words[0]))+".html")
	}
	return cli.CommandLine(verb, words...)
}

// commandNotFile returns the error about a path to measure that is no file but the begin of a command; nil if it is not.
// args are all words behind run.
func commandNotFile(args []string, path string) error {
	begin := strings.Fields(path)
	at := slices.Index(args, path)
	if len(begin) == 0 || at < 0 || at+1 == len(args) && len(begin) < 2 || cli.Exists(path) || !cli.IsProgram(begin[0]) {
		return nil
	}
	words := cli.AsCommands(args, "--group")
	if slices.Equal(words, args) { // a command of several words, which may have flags of its own
		words = slices.Concat(args[:at], []string{"--"}, begin, args[at+1:])
	}
	return &cli.Signpost{Text: fmt.Sprintf("%s is no file; to measure this command:", path),
		Command: cli.CommandLine("run", words...)}
}

// parameterNotFile returns the error about paths to measure that are no files but parameters without --param; nil if none
// is. args are all words behind run.
func parameterNotFile(args, paths []string) error {
	var words []string
	var first string
	for _, word := range args {
		name, _, assigned := strings.Cut(word, "=")
		if assigned && slices.Contains(paths, word) && parameterName(name) && !cli.Exists(word) {
			first = cmp.Or(first, word)
			words = append(words, "--param")
		}
		words = append(words, word)
	}
	if first == "" {
		return nil
	}
	return &cli.Signpost{Text: first + " is no file; each parameter has a flag:", Command: cli.CommandLine("run", words...)}
}

// parameterName reports whether a word can be the name of a parameter.
func parameterName(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

// verbFor returns the verb that takes a file, "" if there is no such file or no verb for it.
func verbFor(p program.Program, path string) string {
	if !cli.Exists(path) {
		return ""
	}
	switch filepath.Ext(path) {
	case ".toml":
		return "run"
	case ".ndjson":
		return "report"
	case ".tracy":
		return "trace info"
	}
	if _, err := p.Runtimes.Recognize(path, nil); err == nil {
		return "run"
	}
	return ""
}
