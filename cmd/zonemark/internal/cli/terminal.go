package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"zonemark/invocations/foreign"

	"golang.org/x/term"
)

// TerminalWidth returns the number of columns of the terminal w, or 0 if w is not a terminal.
func TerminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// Colours reports whether text for w may be painted: w is a terminal, and the user has not said otherwise
// (https://no-color.org). lookup looks up variables of the environment.
func Colours(w io.Writer, lookup func(name string) string) bool {
	return TerminalWidth(w) > 0 && lookup("NO_COLOR") == "" && lookup("TERM") != "dumb"
}

// ProgressLine is a line on a terminal that is overwritten again and again. Elsewhere it is silent.
type ProgressLine struct {
	w     io.Writer
	width int
	next  time.Time
	shown bool
}

// NewProgressLine returns a line on w. It is silent if quiet is set or w is not a terminal.
func NewProgressLine(w io.Writer, quiet bool) *ProgressLine {
	p := &ProgressLine{w: w}
	if !quiet {
		p.width = TerminalWidth(w)
	}
	return p
}

const progressPause = 100 * time.Millisecond // drawing takes CPU time from what is measured

// Due reports whether it is time to draw again. It returns false for a silent line.
func (l *ProgressLine) Due() bool {
	return l.width > 0 && !time.Now().Before(l.next)
}

// Draw replaces the line by text, which it makes printable. If it is wider than the terminal, its middle is left out: the
// end tells how far the work is.
func (l *ProgressLine) Draw(text string) {
	l.next = time.Now().Add(progressPause)
	fmt.Fprintf(l.w, "\r\x1b[K%s", foreign.Shorten(foreign.Line(text), l.width-1))
	l.shown = true
}

// Clear removes the line, if it is shown.
func (l *ProgressLine) Clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// Silence makes the line silent.
func (l *ProgressLine) Silence() { l.width = 0 }

// Reading shows how much of a file has been read, in bytes, if the file is large.
func (l *ProgressLine) Reading(path string, read, size int64) {
	const large = 64 << 20
	if size >= large && l.Due() {
		l.Draw(fmt.Sprintf("%s: %d of %d MiB", path, read>>20, size>>20))
	}
}
