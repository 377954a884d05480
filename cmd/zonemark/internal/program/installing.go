package program

import (
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/setup"
)

// Installing shows how the installation of a component goes: a line that is written over on a terminal, else a line a
// step.
type Installing struct {
	Line    *cli.ProgressLine
	program Program
	quiet   bool
}

// Installing returns what shows installations. Nothing is shown if quiet is set.
func (p Program) Installing(quiet bool) *Installing {
	return &Installing{Line: cli.NewProgressLine(p.Err, quiet), program: p, quiet: quiet}
}

// Options returns the options of package setup with which it tells. python is the interpreter that the user named; it
// may be empty.
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
