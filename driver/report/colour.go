package report

import (
	"strings"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// verdictColour returns the colour of a list of verdicts.
func verdictColour(text string) texttable.Colour {
	if text == string(invocations.Clean) {
		return texttable.Green
	}
	return texttable.Yellow
}

// standingColour returns the colour of a variant's standing, behind which flaws of its measurement may be.
func standingColour(text string) texttable.Colour {
	switch {
	case strings.Contains(text, ";"):
		return texttable.Yellow
	case text == string(stats.Best):
		return texttable.Green
	}
	return texttable.Plain
}

// statusColour returns the colour of a status.
func statusColour(text string) texttable.Colour {
	switch invocations.Status(text) {
	case invocations.OK:
		return texttable.Plain
	case invocations.Skipped:
		return texttable.Yellow
	}
	return texttable.Red
}
