package iree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	diagnosticLines = 12
	diagnosticWidth = 240 // bytes of a line: warnings list all known processors on one line
)

// diagnostics returns the part of the compiler's output that a reader needs: from the first error on, or all of it if
// there is no error. It limits the number of lines and their length.
func diagnostics(output string) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(output, "�")), "\n")
	for n, line := range lines {
		if strings.Contains(line, ": error: ") {
			lines = lines[n:]
			break
		}
	}
	more := len(lines) - diagnosticLines
	if more > 0 {
		lines = lines[:diagnosticLines]
	}
	for n, line := range lines {
		line = strings.TrimRight(line, " \r")
		if len(line) > diagnosticWidth {
			end := diagnosticWidth
			for !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…"
		}
		lines[n] = line
	}
	text := strings.Join(lines, "\n")
	if more > 0 {
		text += fmt.Sprintf("\n… and %d more lines", more)
	}
	return text
}
