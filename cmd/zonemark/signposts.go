package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

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
		return &cli.Signpost{Text: none + "; it is a file:", Command: cli.CommandLine(verb, args...)}
	}
	if strings.ContainsAny(word, "|<>&;$*") {
		return &cli.Signpost{
			Text: none + "; to measure this line of a shell:", Command: cli.CommandLine("run --shell --", args...),
		}
	}
	if words := append(strings.Fields(word), args[1:]...); len(words) > 1 {
		if _, err := exec.LookPath(words[0]); err == nil {
			return &cli.Signpost{Text: none + "; to measure this command:", Command: cli.CommandLine("run --", words...)}
		}
	}
	return errors.New(none + spelling.Suggest(word, commandNames()))
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
