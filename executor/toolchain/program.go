package toolchain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/platform"
	"zonemark/invocations/building"
)

// Program is a program that makes something of files, such as a compiler, and what it may reach.
type Program struct {
	Command     []string  // the program and its arguments
	Folder      string    // it works there; empty: in the current one
	Environment []string  // NAME=VALUE, beside the variables of this process
	Without     string    // it does not get variables of this process whose names begin so; empty: it gets all
	Input       []byte    // standard input
	Output      io.Writer // gets the standard output; nil: that is among what the program says
	building.Access
}

// Run runs the program, confined, to its end and returns what it said. The program and its children end with the
// context, whose cause is then the error; if the program fails, the error is a *FailedError.
func (p Program) Run(ctx context.Context, confine building.Confine) (said string, err error) {
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	cmd.Dir = p.Folder
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), func(entry string) bool {
		return p.Without != "" && strings.HasPrefix(entry, p.Without)
	}), p.Environment...)
	if p.Input != nil {
		cmd.Stdin = bytes.NewReader(p.Input)
	}
	words := &Beginning{}
	cmd.Stdout, cmd.Stderr = words, words
	if p.Output != nil {
		cmd.Stdout = p.Output
	}
	err = confine.Run(cmd, p.Access)
	name := filepath.Base(p.Command[0])
	switch {
	case err == nil:
		return words.String(), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w", name, context.Cause(ctx))
	}
	return "", &FailedError{name, err, words.String()}
}

// FailedError reports that a program failed.
type FailedError struct {
	Name string // of the program
	Err  error  // how it ended
	Said string
}

// Error returns what the program said itself, and then how it ended.
func (e *FailedError) Error() string {
	how, said := fmt.Sprintf("%s: %v", e.Name, e.Err), LastLines(e.Said, shownLines)
	if killed := platform.Killed(e.Err, e.Said); killed != "" {
		how = e.killed(killed)
		if said != "" {
			return how + ":\n" + said
		}
	} else if said != "" {
		return said + "\n(" + how + ")"
	}
	return how
}

func (e *FailedError) Unwrap() error { return e.Err }

// killed returns that a signal ended the program, which is no error of what it works on.
func (e *FailedError) killed(how string) string {
	return fmt.Sprintf("%s was killed (%s), probably because memory ran out: try again when there is more", e.Name, how)
}

// Beginning keeps the first part of what is written to it.
type Beginning struct{ bytes.Buffer }

func (b *Beginning) Write(p []byte) (int, error) {
	const most = 1 << 20
	b.Buffer.Write(p[:min(len(p), max(0, most-b.Len()))])
	return len(p), nil
}
