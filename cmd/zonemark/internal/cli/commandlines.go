package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// CommandSeparator stands between two commands on a command line.
const CommandSeparator = ":::"

// Exists reports whether there is something at a path, or nobody can say.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// IsProgram reports whether a word is a program on the path.
func IsProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// IsCommandLine reports whether a word is no file but a command with its arguments, as hyperfine takes it.
func IsCommandLine(word string) bool {
	words := strings.Fields(word)
	return len(words) > 1 && !Exists(word) && IsProgram(words[0])
}

// flagsOfLines are flags, here and elsewhere, whose values are command lines.
var flagsOfLines = []string{"--prepare", "-p", "--setup", "-s", "--cleanup", "-c", "--conclude", "-C"}

// AsCommands returns the words of a command line with its last ones, if they are whole commands, as words behind --. flags
// come before that if there are several commands.
func AsCommands(words []string, flags ...string) []string {
	at := len(words)
	for at > 0 && IsCommandLine(words[at-1]) && (at < 2 || !slices.Contains(flagsOfLines, words[at-2])) {
		at--
	}
	if at == len(words) || slices.Contains(words, "--") {
		return words
	}
	out := slices.Clone(words[:at])
	if len(words)-at > 1 {
		out = append(out, flags...)
	}
	for i, line := range words[at:] {
		separator := CommandSeparator
		if i == 0 {
			separator = "--"
		}
		out = append(append(out, separator), strings.Fields(line)...)
	}
	return out
}
