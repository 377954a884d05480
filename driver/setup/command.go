package setup

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"zonemark/invocations/environ"
)

// command is a program that an installation starts. The program and its children end with the context.
type command struct {
	path string
	args []string
	dir  string            // working folder; empty for the current one
	base environ.Variables // its environment
	env  map[string]string // changes to base; an empty value removes a variable
	lock *lock             // held while it runs; may be nil
	line func(string)      // receives each line of its output; may be nil
}

// commandError tells how a program failed.
type commandError struct {
	command string   // its name and its first arguments
	tail    []string // its last lines of output
	err     error
}

func (e *commandError) Error() string {
	text := fmt.Sprintf("%s: %v", e.command, e.err)
	if len(e.tail) > 0 {
		text += "\n  " + strings.Join(e.tail, "\n  ")
	}
	return text
}

func (e *commandError) Unwrap() error { return e.err }

// says reports whether the last lines of output contain one of the texts.
func (e *commandError) says(texts ...string) bool {
	all := strings.Join(e.tail, "\n")
	for _, text := range texts {
		if strings.Contains(all, text) {
			return true
		}
	}
	return false
}

// namedArguments is how many arguments of a program an error shows, such as "-I -m pip download".
const namedArguments = 4

// killDelay is how long to wait for the output of a killed program's children.
const killDelay = 5 * time.Second

// run runs the program to its end. The error is the context's cause if the context ended it, else a *commandError.
func (c command) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.path, c.args...)
	cmd.Dir = c.dir
	cmd.Env = changed(c.base, c.env).Entries()
	cmd.WaitDelay = killDelay
	ownGroup(cmd)
	if c.lock != nil {
		inherit(cmd, c.lock.file)
	}
	out := &lines{told: c.line}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	out.end()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &commandError{
		strings.Join(append([]string{c.path}, c.args[:min(len(c.args), namedArguments)]...), " "),
		out.tail,
		err,
	}
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

const (
	tailLines     = 12
	maxLineLength = 2000
)

// lines splits a program's output into lines and keeps the last ones. exec writes to it from one goroutine at a time,
// since both streams are the same writer.
type lines struct {
	mu      sync.Mutex
	told    func(string)
	tail    []string
	partial []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range p {
		if b == '\n' || b == '\r' {
			l.flush()
		} else if len(l.partial) < maxLineLength {
			l.partial = append(l.partial, b)
		}
	}
	return len(p), nil
}

func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}

func (l *lines) flush() {
	text := strings.TrimSpace(string(l.partial))
	l.partial = l.partial[:0]
	if text == "" {
		return
	}
	if l.told != nil {
		l.told(text)
	}
	if len(l.tail) == tailLines {
		l.tail = append(l.tail[:0], l.tail[1:]...)
	}
	l.tail = append(l.tail, text)
}

// lookUp returns the first of the programs that is on PATH; empty if none is.
func lookUp(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
