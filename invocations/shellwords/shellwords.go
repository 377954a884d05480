// Package shellwords writes words as a POSIX shell reads them, and reads them so. It is a leaf.
package shellwords

import (
	"errors"
	"fmt"
	"strings"
)

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

// Split takes a line apart at blanks and ends of lines, as far as quotes and backslashes go: nothing is expanded.
func Split(line string) (words []string, err error) {
	var word strings.Builder
	quote, inside, escaped := rune(0), false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", c) {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inside = c, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", c):
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	switch {
	case escaped:
		return nil, errors.New("nothing follows its last backslash")
	case quote != 0:
		return nil, fmt.Errorf("a quote (%c) is not closed", quote)
	case inside:
		words = append(words, word.String())
	}
	return words, nil
}
