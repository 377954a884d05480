// Package foreign makes text of others safe to show: names in artifacts, suites and captures, and output of native
// code. Such text can hold escape sequences that control a terminal, line ends that feign other lines, and characters
// that reverse the direction of reading. The package knows nothing of where text comes from.
package foreign

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line of printable characters. A blank replaces each other kind of space, a line end too, and
// U+FFFD each other character that is not printable, and each byte that is not UTF-8.
func Line(s string) string { return replaced(s, false) }

// Text is Line for text of several lines: line ends and tabs stay.
func Text(s string) string { return replaced(s, true) }

func replaced(s string, lines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r), lines && (r == '\n' || r == '\t'):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return utf8.RuneError
	}, s)
}

// cellStarts are the characters with which a spreadsheet begins a formula.
const cellStarts = "=+-@\t\r"

// Cell returns a text for a cell of a CSV file of our own dialect. It puts an apostrophe before a text that a
// spreadsheet would take for a formula. It is not for numbers.
func Cell(s string) string {
	if s != "" && strings.ContainsRune(cellStarts, rune(s[0])) {
		return "'" + s
	}
	return s
}
