package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Wrapped breaks a text into lines of at most so many characters. A longer word gets a longer line.
func Wrapped(text string, columns int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > columns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}

// helpColumns is how wide the paragraphs of a help text are.
const helpColumns = 80

// filled breaks the paragraphs of a help text that have longer lines than helpColumns. Lines that are indented, such as
// examples, and the line "Usage:" stay as they are.
func filled(intro string) string {
	var b strings.Builder
	var paragraph []string
	end := func() {
		text := strings.Join(paragraph, "\n")
		if slices.ContainsFunc(paragraph, func(line string) bool { return utf8.RuneCountInString(line) > helpColumns }) {
			text = Wrapped(text, helpColumns)
		}
		if len(paragraph) > 0 {
			b.WriteString(text + "\n")
		}
		paragraph = nil
	}
	for line := range strings.Lines(intro) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && line[0] != ' ' && !strings.HasPrefix(line, "Usage:") {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		b.WriteString(line + "\n")
	}
	end()
	return b.String()
}

// Megabytes returns a size in bytes as megabytes, for people.
func Megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
