// Package foreign makes text of others safe to show: names in artifacts, suites and captures, and output of native
// code. Such text can hold escape sequences that control a terminal, line ends that feign other lines, and characters
// that reverse the direction of reading. The package knows nothing of where text comes from.
package foreign

import (
	"reflect"
	"strconv"
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

// Controls returns s with U+FFFD for each character that controls a terminal or the direction of reading, and for each
// byte that is not UTF-8. Line ends and tabs stay, and so does every kind of space.
func Controls(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' || r == '\r' || unicode.IsSpace(r) && !unicode.IsControl(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// cellStarts are the characters with which a spreadsheet begins a formula.
const cellStarts = "=+-@\t\r"

// Cell returns a text for a cell of a CSV file of our own dialect. It puts an apostrophe before a text that a
// spreadsheet would take for a formula, and before one that has such an apostrophe, so that Uncell returns the text, but
// for what Controls replaces. It is not for numbers.
func Cell(s string) string {
	if s = Controls(s); isFormula(s) {
		return "'" + s
	}
	return s
}

// Uncell returns the text that Cell made a cell of.
func Uncell(cell string) string {
	if text, marked := strings.CutPrefix(cell, "'"); marked && isFormula(text) {
		return text
	}
	return cell
}

// Value is Cell for a text that may be a number, which stays as it is.
func Value(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return Cell(s)
}

// Row returns a struct, a row of a CSV file, in which Value has been applied to every text. Texts in structs that it
// embeds or holds count; those behind pointers do not.
func Row[T any](row T) T {
	protect(reflect.ValueOf(&row).Elem())
	return row
}

func protect(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String && v.CanSet():
		v.SetString(Value(v.String()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			protect(v.Field(i))
		}
	}
}

// isFormula reports whether a text begins like a formula, apostrophes aside.
func isFormula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.ContainsRune(cellStarts, rune(s[0]))
}

// Shorten replaces the middle of a text that is too long, since variants differ at either end.
func Shorten(s string, width int) string {
	if len(s) <= width {
		return s
	}
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	head := (width - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(width-1-head):])
}
