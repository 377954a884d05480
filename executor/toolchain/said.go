package toolchain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	shownLines = 12
	shownWidth = 300 // bytes of a line: warnings list all known processors on one line
)

// Diagnostics returns what a reader needs of a compiler's output: its first lines from the first error on, or from the
// beginning if there is no error.
func Diagnostics(output string) string {
	at := strings.Index(output, "error: ")
	return FirstLines(output[strings.LastIndexByte(output[:max(0, at)], '\n')+1:])
}

// FirstLines returns the beginning of a text: few lines, none of them long.
func FirstLines(text string) string {
	lines := linesOf(text)
	if more := len(lines) - shownLines; more > 0 {
		lines = append(lines[:shownLines], fmt.Sprintf("… and %d more lines", more))
	}
	return narrow(lines)
}

// LastLines returns the end of a text, where a program that fails says why: few lines, none of them long.
func LastLines(text string, most int) string {
	lines := linesOf(text)
	if len(lines) > most {
		lines = append([]string{"…"}, lines[len(lines)-most:]...)
	}
	return narrow(lines)
}

func linesOf(text string) []string {
	return strings.Split(strings.TrimSpace(strings.ToValidUTF8(text, "�")), "\n")
}

// narrow joins lines, of which it cuts off the ends of long ones.
func narrow(lines []string) string {
	for n, line := range lines {
		line = strings.TrimRight(line, " \r")
		if len(line) > shownWidth {
			end := shownWidth
			for !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…"
		}
		lines[n] = line
	}
	return strings.Join(lines, "\n")
}
