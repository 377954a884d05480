package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
	"zonemark/driver"
)

// terminalWidth is the number of columns of the terminal that w is, 0 when it is none.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// progressLine is one line on a terminal that is written over again and again. It is silent anywhere else.
type progressLine struct {
	w     io.Writer
	width int
	next  time.Time
	shown bool
}

func newProgressLine(w io.Writer, quiet bool) *progressLine {
	p := &progressLine{w: w}
	if !quiet {
		p.width = terminalWidth(w)
	}
	return p
}

const progressPause = 100 * time.Millisecond // drawing takes CPU time from what is measured

func (l *progressLine) show(p driver.Progress) {
	if p.Record != nil || !l.due() {
		return
	}
	text := fmt.Sprintf("[%d/%d] %s", p.Finished+1, p.Total, p.Name)
	if p.Tracing {
		text = "tracing " + text
	}
	if p.Rounds > 1 {
		text += fmt.Sprintf(", launch %d of %d", p.Round+1, p.Rounds)
	}
	l.draw(text)
}

// due says whether it is time to draw again.
func (l *progressLine) due() bool {
	return l.width > 0 && !time.Now().Before(l.next)
}

func (l *progressLine) draw(text string) {
	l.next = time.Now().Add(progressPause)
	if r := []rune(text); len(r) >= l.width {
		text = string(r[:l.width-1])
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", text)
	l.shown = true
}

func (l *progressLine) clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}
