package report

import (
	"strings"
	"unicode/utf8"
)

// wrap breaks a text into lines of at most so many characters, at words. A longer word gets a longer line. There is at
// least one line.
func wrap(text string, columns int) []string {
	lines, width := []string{""}, 0
	for word := range strings.FieldsSeq(text) {
		n, last := utf8.RuneCountInString(word), len(lines)-1
		switch {
		case width == 0:
			lines[last], width = word, n
		case width+1+n > columns:
			lines, width = append(lines, word), n
		default:
			lines[last], width = lines[last]+" "+word, width+1+n
		}
	}
	return lines
}
