// Package shellwords writes words as a POSIX shell reads them. It is a leaf.
package shellwords

import "strings"

// Line returns words as a line that a POSIX shell splits into the same words.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// plainBytes are the bytes that mean nothing to a shell, wherever they stand in a word but at its beginning.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=%@:,./"

// Quote returns a word as it is if a POSIX shell would take it so, else in single quotes.
func Quote(word string) string {
	if word != "" && strings.Trim(word, plainBytes) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
