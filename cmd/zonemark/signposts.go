package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

// signpost returns the error about a command line that begins with no subcommand. If the words tell what the user wants,
// the error has the command for it.
func signpost(p program.Program, args []string) error {
	word := args[0]
	none := fmt.Sprintf("no subcommand %q", word)
	if near := spelling.Nearest(word, []string{"--version", "--help"}); near != "" && len(args) == 1 {
		return &cli.Signpost{Text: none + fmt.Sprintf("; did you mean %q?", near), Command: "zonemark " + near}
	}
	if strings.HasPrefix(word, "-") {
		return &cli.Signpost{
			Text: fmt.Sprintf("%s stands before a subcommand; to measure:", word), Command: cli.CommandLine("run", args...),
		}
	}
	if verb := verbFor(p, word); verb != "" {
		return &cli.Signpost{Text: none + "; it is a file:", Command: commandOf(verb, args...)}
	}
	if command := commandElsewhere(p, word, args[1:]); command != "" {
		return &cli.Signpost{Text: none + "; it is " + strings.Fields(command)[1] + " here:", Command: command}
	}
	for _, verb := range []string{"trace", "halide", "farm"} {
		if slices.ContainsFunc(verbsOf(verb), func(c program.Verb) bool { return c.Name == word }) {
			return &cli.Signpost{Text: none + "; it is a verb of " + verb + ":",
				Command: cli.CommandLine(verb+" "+word, args[1:]...)}
		}
	}
	if words := cli.AsCommands(args, "--group"); len(args) > 1 && words[0] == "--group" {
		return &cli.Signpost{Text: none + "; to measure these commands:", Command: cli.CommandLine("run", words...)}
	}
	if isProgramFile(p, word) {
		return &cli.Signpost{Text: none + "; it is a program:", Command: cli.CommandLine("run --", args...)}
	}
	if strings.ContainsAny(word, shellCharacters) {
		return &cli.Signpost{
			Text: none + "; to measure this line of a shell:", Command: cli.CommandLine("run --shell --", args...),
		}
	}
	if words := append(strings.Fields(word), args[1:]...); len(words) > 1 && cli.IsProgram(words[0]) {
		if len(args) > 1 && word == "time" && cli.IsProgram(args[1]) { // run tells the time itself
			words = args[1:]
		}
		return &cli.Signpost{Text: none + "; to measure this command:", Command: cli.CommandLine("run --", words...)}
	}
	near := spelling.Nearest(word, slices.Concat(commandNames(), slices.Sorted(maps.Keys(verbsElsewhere))))
	if near == "" || near == word { // the file does not fit it
		return errors.New(none)
	}
	command := cli.CommandLine(near, args[1:]...)
	if elsewhere := commandElsewhere(p, near, args[1:]); elsewhere != "" {
		command = elsewhere
	}
	return &cli.Signpost{Text: fmt.Sprintf("%s; did you mean %q?", none, strings.Fields(command)[1]), Command: command}
}

// verbsElsewhere has what other programs call verbs, with flags that make the same of ours.
var verbsElsewhere = map[string]string{
	"measure": "run", "benchmark": "run", "time": "run", "exec": "run", "profile": "run", "perf": "run", "test": "run",
	"rank": "run --group", "race": "run --group",
	"diff": "compare", "cmp": "compare", "vs": "compare", "benchcmp": "compare", "benchstat": "compare",
	"plot": "report", "show": "report", "view": "report", "html": "report", "graph": "report", "chart": "report",
	"draw": "report", "page": "report", "open": "report", "roofline": "report", "dashboard": "report",
	"export": "report --format csv", "to-csv": "report --format csv", "tocsv": "report --format csv",
	"csv": "report --format csv", "convert": "report --format csv",
	"json": "report --format ndjson", "print": "report --format text", "cat": "report --format text",
	"ls": "list", "inspect": "list", "describe": "list", "functions": "list",
}

// commandElsewhere returns the command that a verb of other programs is here, with the words behind it, of which the first
// is a file; "" if it is none that takes such a file.
func commandElsewhere(p program.Program, word string, words []string) string {
	verb := verbsElsewhere[word]
	if verb == "" || len(words) == 0 || !cli.Exists(words[0]) {
		return ""
	}
	takes, name := verbFor(p, words[0]), strings.Fields(verb)[0]
	switch {
	case name == "compare" && takes == "run":
		return cli.CommandLine("compare --measure", words...)
	case name == "compare" && takes == "trace info":
		return cli.CommandLine("trace diff", words...)
	case name == "list" && takes == "run", name == takes, name == "compare" && takes == "report",
		name == "report" && takes == "":
		return commandOf(verb, words...)
	case name == "list", name == "report" && takes == "trace info":
		return commandOf(cmp.Or(takes, "report"), words...)
	}
	return ""
}

// commandOf returns the command line of a verb with words, the first of which is a file. A report gets a name, unless the
// words say what it is.
func commandOf(verb string, words ...string) string {
	command, flags, formatted := strings.Cut(verb, " --")
	switch said := slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--html") || strings.HasPrefix(w, "--format") || strings.HasPrefix(w, "-o")
	}); {
	case command != "report":
	case said:
		verb = command
	case len(words) == 2 && filepath.Ext(words[1]) == ".html":
		return cli.CommandLine(command, words[0], "--html", words[1])
	case !formatted:
		words = append(slices.Clone(words), "--html", strings.TrimSuffix(words[0], filepath.Ext(words[0]))+".html")
	case len(words) == 2 && !cli.Exists(words[1]):
		return cli.CommandLine(command, append(words[:1:1], strings.Fields("--"+flags)...)...) + " >" + shellwords.Line(words[1])
	}
	return cli.CommandLine(verb, words...)
}

// commandNotFile returns the error about a path to measure that is no file but the begin of a command; nil if it is not.
// args are all words behind run.
func commandNotFile(p program.Program, set *pflag.FlagSet, args []string, path string) error {
	begin := strings.Fields(path)
	at := slices.Index(args, path)
	if at < 0 || len(begin) == 0 || slices.Contains(args, "--") {
		return nil
	}
	what := " is no file"
	if isProgramFile(p, path) {
		what, begin = " is a program", []string{path}
	} else if at+1 == len(args) && len(begin) < 2 || cli.Exists(path) || !cli.IsProgram(begin[0]) {
		return nil
	}
	if strings.ContainsAny(path, shellCharacters) {
		words := slices.DeleteFunc(slices.Clone(args[:at]), func(w string) bool { return w == "--shell" })
		return &cli.Signpost{Text: path + " is no file; to measure this line of a shell:",
			Command: cli.CommandLine("run", slices.Concat(words, []string{"--shell", "--"}, args[at:])...)}
	}
	post := &cli.Signpost{Text: path + what + "; to measure this command:"}
	if words := cli.AsCommands(args, "--group"); !slices.Equal(words, args) {
		post.Command = cli.CommandLine("run", words...)
	} else { // a command of several words, which may have flags of its own
		post.Command = asCommand(set, slices.Concat(args[:at], begin, args[at+1:]), at)
	}
	return post
}

// shellCharacters mean something to a shell.
const shellCharacters = "|<>&;$*"

// isProgramFile reports whether a path is a file that can be executed, and no artifact.
func isProgramFile(p program.Program, path string) bool {
	return cli.IsExecutable(path) && verbFor(p, path) == ""
}

// asCommand returns the command line of run that measures a program and the words behind it: args from at on. Flags of
// ours among them may be the program's, which the user has to say.
func asCommand(set *pflag.FlagSet, args []string, at int) string {
	theirs := cli.CommandLine("run", slices.Concat(args[:at], []string{"--"}, args[at:])...)
	flags, words := cli.Apart(set, args[at:])
	if len(flags) == 0 {
		return theirs
	}
	ours := cli.CommandLine("run", slices.Concat(args[:at], flags, []string{"--"}, words)...)
	if !strings.HasPrefix(flags[0], "--") {
		return theirs + "\nor, if " + flags[0] + " is for zonemark:\n  " + ours
	}
	return ours + "\nor, if " + flags[0] + " is for the program:\n  " + theirs
}

// commandInOneWord returns the error about a command behind -- that is one word with spaces; nil if none is.
func commandInOneWord(args []string, commands [][]string) error {
	at := slices.Index(args, "--")
	if at < 0 || len(commands) != 1 || len(commands[0]) != 1 || cli.IsProgram(commands[0][0]) {
		return nil
	}
	word := commands[0][0]
	words := strings.Fields(word)
	switch {
	case len(words) < 2 || !cli.IsProgram(words[0]):
		return nil
	case strings.ContainsAny(word, shellCharacters):
		words = []string{"--shell", "--", word}
	default:
		words = append([]string{"--"}, words...)
	}
	return &cli.Signpost{Text: fmt.Sprintf("there is no program %q; to measure the command:", word),
		Command: cli.CommandLine("run", append(args[:at:at], words...)...)}
}

// commandWithFlags returns the error about a program whose flags are taken for those of run; nil if it is none.
func commandWithFlags(args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.Contains(args, "--") || cli.Exists(args[0]) ||
		!cli.IsProgram(args[0]) {
		return nil
	}
	return &cli.Signpost{Text: args[0] + " is a program; to measure this command:", Command: cli.CommandLine("run --", args...)}
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

// functionNotFile returns the error about paths to measure that are no files but functions without --function, alone or as
// FILE:NAME; nil if none is. args are all words behind run.
func functionNotFile(p program.Program, args, paths []string) error {
	if !slices.ContainsFunc(paths, func(path string) bool { return verbFor(p, fileOf(path)) == "run" }) {
		return nil
	}
	var words []string
	var first string
	for _, word := range args {
		file, name, of := strings.Cut(strings.Replace(word, "::", ":", 1), ":")
		switch {
		case !slices.Contains(paths, word) || cli.Exists(word):
			words = append(words, word)
			continue
		case of && verbFor(p, file) == "run" && parameterName(name):
			if !slices.Contains(words, file) {
				words = append(words, file)
			}
			words = append(words, "--function", name)
		case numbers().MatchString(word) && first != "": // a value of a parameter, whose name the next error tells
			continue
		case parameterName(word) && !strings.Contains(word, "."):
			words = append(words, "--function", word)
		default:
			return nil
		}
		first = cmp.Or(first, word)
	}
	if first == "" {
		return nil
	}
	return &cli.Signpost{Text: first + " is no file; each function has a flag:", Command: cli.CommandLine("run", words...)}
}

// fileOf returns the file of FILE:NAME.
func fileOf(word string) string {
	file, _, _ := strings.Cut(word, ":")
	return file
}

// ofAnotherVerb returns the error about a file that a verb does not take, and another one does; nil if there is none.
func ofAnotherVerb(p program.Program, verb, path string) error {
	takes := verbFor(p, path)
	if info, err := os.Stat(path); verb == "report" && err == nil && info.IsDir() {
		return &cli.Signpost{Text: path + " is a folder; the results in it over time:",
			Command: cli.CommandLine("history", path, "--html", "history.html")}
	}
	if takes == "" || takes == verb || verb == "list" && takes == "run" {
		return nil
	}
	command := commandOf(takes, path)
	if verb == "report" && takes == "run" {
		command = cli.CommandLine("run", path, "--html", strings.TrimSuffix(path, filepath.Ext(path))+".html")
	}
	return &cli.Signpost{Text: fmt.Sprintf("%s is not for %s; this shows it:", path, verb), Command: command}
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
