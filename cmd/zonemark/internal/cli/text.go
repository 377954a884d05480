package cli

import (
	"fmt"
	"strings"
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

// Megabytes returns a size in bytes as megabytes, for people.
func Megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
