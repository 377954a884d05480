package report

import (
	"strings"
	"time"
)

// Day returns the day of a run; empty if it is not known.
func Day(started time.Time) string {
	if started.IsZero() {
		return ""
	}
	return started.UTC().Format("2006-01-02")
}

// Place returns the host and the day of a run, for titles, as far as they are known. environment is that of its journal.
func Place(environment map[string]string, started time.Time) string {
	var words []string
	for _, word := range []string{Printable(environment["host"]), Day(started)} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
