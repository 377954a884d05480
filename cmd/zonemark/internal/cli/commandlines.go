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

// IsExecutable reports whether a path with a folder is that of a file that can be executed.
func IsExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && strings.Contains(path, "/")
}

// flagsOfLines are flags, here and elsewhere, whose values are command lines.
var flagsOfLines = []string{"--prepare", "-p", "--setup", "-s", "--cleanup", "-c", "--conclude", "-C", "--via", "--build"}

// AsCommands returns the words of a command line with those that are whole commands as words behind --; a program
// beside one is another command. Flags may follow them. flags come before -- if there are several commands.
func AsCommands(words []string, flags ...string) []string {
	isCommand := func(word string) bool {
		return IsCommandLine(word) || IsExecutable(word) && slices.ContainsFunc(words, IsCommandLine)
	}
	at := 0
	for at < len(words) && !(isCommand(words[at]) && (at == 0 || !slices.Contains(flagsOfLines, words[at-1]))) {
		at++
	}
	end := at
	for end < len(words) && isCommand(words[end]) {
		end++
	}
	if at == end || slices.Contains(words, "--") || end < len(words) && !strings.HasPrefix(words[end], "-") {
		return words
	}
	out := slices.Concat(words[:at], words[end:])
	if end-at > 1 {
		out = append(out, slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return slices.Contains(out, f) })...)
	}
	for i, line := range words[at:end] {
		separator := CommandSeparator
		if i == 0 {
			separator = "--"
		}
		out = append(append(out, separator), strings.Fields(line)...)
	}
	return out
}
