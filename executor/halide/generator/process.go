package generator

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"zonemark/executor/platform"
	"zonemark/invocations/building"
)

// afterlife limits how long the children of a program that was killed may keep its output open.
const afterlife = 5 * time.Second

// maxOutputBytes is how much of a program's output is kept, from its beginning.
const maxOutputBytes = 1 << 20

// program is a program to run.
type program struct {
	path  string
	args  []string
	dir   string // working folder; empty: the current one
	input []byte // standard input
	building.Access
}

// programError reports that a program failed.
type programError struct {
	name   string
	err    error
	output string // what it printed
}

// Error returns what the program said itself, and then how it ended.
func (e *programError) Error() string {
	how := fmt.Sprintf("%s: %v", e.name, e.err)
	said := lastLines(e.output, shownLines)
	if killed := platform.Killed(e.err, e.output); killed != "" {
		how = fmt.Sprintf("%s was killed (%s), probably because memory ran out: try again when there is more", e.name, killed)
		if said == "" {
			return how
		}
		return how + ":\n" + said
	}
	if said == "" {
		return how
	}
	return said + "\n(" + how + ")"
}

func (e *programError) Unwrap() error { return e.err }

// run runs a program, confined, to its end and returns what it printed. The program and its children end with the
// context, whose cause is then the error; if the program fails, the error is a *programError.
func (t Toolchain) run(ctx context.Context, p program) (string, error) {
	return p.run(ctx, t.confine)
}

// ask runs a program that reads nothing of others, and is thus not confined.
func ask(ctx context.Context, path string, args ...string) (string, error) {
	return program{path: path, args: args}.run(ctx, nil)
}

func (p program) run(ctx context.Context, confine building.Confine) (output string, err error) {
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Dir = p.dir
	cmd.Env = cleaned(cmd.Environ())
	cmd.Stdin = bytes.NewReader(p.input)
	said := &beginning{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = afterlife
	err = confine.Run(cmd, p.Access)
	name := filepath.Base(p.path)
	switch {
	case err == nil:
		return said.String(), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w", name, context.Cause(ctx))
	}
	return "", &programError{name, err, said.String()}
}

// cleaned returns the variables without those that change what Halide makes, which results are not named after. The
// messages of compilers are searched, so they are in English.
func cleaned(variables []string) (list []string) {
	for _, entry := range variables {
		if !strings.HasPrefix(entry, "HL_") {
			list = append(list, entry)
		}
	}
	return append(list, "LC_ALL=C")
}

// beginning keeps the first part of what is written to it.
type beginning struct{ bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, maxOutputBytes-b.Len()))])
	return len(p), nil
}
