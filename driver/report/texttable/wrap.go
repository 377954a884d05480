package texttable

import (
	"strings"
	"unicode/utf8"
)

// Hang breaks a text into lines for a terminal of so many columns, at words. All but the first line are indented. If
// width is 0, the text stays as it is.
func Hang(text string, width, indent int) string {
	if width == 0 {
		return text
	}
	return strings.Join(Wrap(text, width-indent), "\n"+strings.Repeat(" ", indent))
}

// Wrap breaks a text into lines of at most so many characters, at words. A longer word gets a longer line. There is at
// least one line.
func Wrap(text string, columns int) []string {
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
