// Package command runs the programs of an installation to their ends, with what they say. It knows no program.
package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"zonemark/invocations/building"
	"zonemark/invocations/environ"
)

// Command is a program that an installation starts. The program and its children end with the context.
type Command struct {
	Path string
	Args []string
	Dir  string            // working folder; empty for the current one
	Base environ.Variables // its environment
	Env  map[string]string // changes to Base; an empty value removes a variable
	Held *os.File          // stays open in the program while it runs; may be nil
	Line func(string)      // receives each line of its output; may be nil
}

// Error tells how a program failed.
type Error struct {
	Command string   // its name and its first arguments
	Tail    []string // its last lines of output
	Err     error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.Command, e.Err)
	if len(e.Tail) > 0 {
		text += "\n  " + strings.Join(e.Tail, "\n  ")
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Says reports whether the last lines of output contain one of the texts.
func (e *Error) Says(texts ...string) bool {
	all := strings.Join(e.Tail, "\n")
	for _, text := range texts {
		if strings.Contains(all, text) {
			return true
		}
	}
	return false
}

// namedArguments is how many arguments of a program an error shows, such as "-I -m pip download".
const namedArguments = 4

// KillDelay is how long to wait for the output of a killed program's children.
const KillDelay = 5 * time.Second

// Run runs the program to its end. The error is the context's cause if the context ended it, else an *Error.
func (c Command) Run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = changed(c.Base, c.Env).Entries()
	cmd.WaitDelay = KillDelay
	OwnGroup(cmd)
	if c.Held != nil {
		inherit(cmd, c.Held)
	}
	out := &building.Lines{Told: c.Line}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	tail := out.Last()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &Error{strings.Join(append([]string{c.Path}, c.Args[:min(len(c.Args), namedArguments)]...), " "), tail, err}
}

// changed returns the variables with changes. An empty value removes a variable.
func changed(base environ.Variables, changes map[string]string) environ.Variables {
	for name, value := range changes {
		if value == "" {
			base = base.Without(name)
		} else {
			base = base.With(name + "=" + value)
		}
	}
	return base
}

// LookUp returns the first of the programs that is on PATH; empty if none is.
func LookUp(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
