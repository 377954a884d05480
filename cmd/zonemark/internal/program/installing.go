package program

import (
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/setup"
)

// Installing shows the progress of an installation: one line that is overwritten on a terminal, else a line for each
// step.
type Installing struct {
	Line    *cli.ProgressLine
	program Program
	quiet   bool
}

// Installing returns an Installing that shows the progress of installations. It shows nothing if quiet is set.
func (p Program) Installing(quiet bool) *Installing {
	return &Installing{Line: cli.NewProgressLine(p.Err, quiet), program: p, quiet: quiet}
}

// Options returns options of package setup that report to i. python is the interpreter that the user named; it may be
// empty.
func (i *Installing) Options(python string) setup.Options {
	return setup.Options{Python: python, Variables: i.program.Variables, Say: i.Say, Progress: i.show}
}

// Say prints a message for people.
func (i *Installing) Say(format string, args ...any) {
	i.Line.Clear()
	if !i.quiet {
		i.program.Say(format, args...)
	}
}

func (i *Installing) show(now setup.Progress) {
	if !i.Line.Due() {
		return
	}
	text := now.Component + ": " + now.Step
	switch {
	case now.Total > 0:
		text += fmt.Sprintf(" %d of %d", now.Done, now.Total)
	case now.TotalBytes > 0:
		text += fmt.Sprintf(" %s of about %s", cli.Megabytes(now.Bytes), cli.Megabytes(now.TotalBytes))
	}
	i.Line.Draw(text)
}
