package invocations

import "strings"

// CommandFunction is the name of the only function of a program that is measured as a whole command.
const CommandFunction = "main"

// CommandLine returns the words of a command as a line that a POSIX shell splits into the same words.
func CommandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quotedWord(word)
	}
	return strings.Join(quoted, " ")
}

// plainBytes are the bytes that mean nothing to a shell, wherever they stand in a word but at its beginning.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=%@:,./"

// quotedWord puts a word in single quotes if a shell would not take it as it is.
func quotedWord(word string) string {
	if word != "" && strings.Trim(word, plainBytes) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
