package report

import (
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Colour is a colour of text on a terminal: the parameter of the sequence that selects it (ECMA-48, SGR).
type Colour string

// The colours.
const (
	plain  Colour = ""
	red    Colour = "31"
	green  Colour = "32"
	yellow Colour = "33"
)

// paint returns a text in the colour.
func (c Colour) paint(text string) string {
	if c == plain {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// verdictColour returns the colour of a list of verdicts.
func verdictColour(text string) Colour {
	if text == string(invocations.Clean) {
		return green
	}
	return yellow
}

// standingColour returns the colour of a variant's standing, behind which flaws of its measurement may be.
func standingColour(text string) Colour {
	switch {
	case strings.Contains(text, ";"):
		return yellow
	case text == string(stats.Best):
		return green
	}
	return plain
}

// statusColour returns the colour of a status.
func statusColour(text string) Colour {
	switch invocations.Status(text) {
	case invocations.OK:
		return plain
	case invocations.Skipped:
		return yellow
	}
	return red
}
