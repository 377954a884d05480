package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
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
		if takes := verbFor(p, args[1]); takes == verb || takes == "report" && verb == "compare" {
			return &cli.Signpost{Text: none + "; it is " + verb + " here:", Command: commandOf(verb, args[1:]...)}
		}
	}
	if strings.ContainsAny(word, "|<>&;$*") {
		return &cli.Signpost{
			Text: none + "; to measure this line of a shell:", Command: cli.CommandLine("run --shell --", args...),
		}
	}
	if words := append(strings.Fields(word), args[1:]...); len(words) > 1 && isProgram(words[0]) {
		return &cli.Signpost{Text: none + "; to measure this command:", Command: cli.CommandLine("run --", words...)}
	}
	return errors.New(none + spelling.Suggest(word, commandNames()))
}

// verbsElsewhere has what other programs call verbs.
var verbsElsewhere = map[string]string{
	"measure": "run", "benchmark": "run", "time": "run", "exec": "run", "diff": "compare", "cmp": "compare",
	"plot": "report", "show": "report", "view": "report",
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
	if len(begin) == 0 || at < 0 || at+1 == len(args) && len(begin) < 2 || exists(path) || !isProgram(begin[0]) {
		return nil
	}
	several := len(args) > at+1 // lines of their own, as hyperfine takes them
	for _, word := range args[at+1:] {
		several = several && strings.Contains(word, " ")
	}
	words := slices.Concat(args[:at], []string{"--"}, begin, args[at+1:])
	if several {
		words = slices.Concat(args[:at], []string{"--group", "--"}, begin)
		for _, line := range args[at+1:] {
			words = slices.Concat(words, []string{measuring.CommandSeparator}, strings.Fields(line))
		}
	}
	return &cli.Signpost{Text: fmt.Sprintf("%s is no file; to measure this command:", path),
		Command: cli.CommandLine("run", words...)}
}

// isProgram reports whether a word is a program on the path.
func isProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// verbFor returns the verb that takes a file, "" if there is no such file or no verb for it.
func verbFor(p program.Program, path string) string {
	if !exists(path) {
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
