package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/command"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"
)

func commandRow() Row {
	return Row{
		Name: command.Name, Programs: true, Pattern: "-- PROGRAM",
		Recognizes: func(string) bool { return false }, // a program that is named as an artifact may be a mistake
		New:        func(func(string) string) executor.Runtime { return command.Runtime{} },
		Options:    command.Options(), Provide: providePrograms,
	}
}

// pythonRow is the runtime of commands that call functions of Python. The Python package makes them.
func pythonRow() Row {
	return Row{
		Name: command.PythonName, Programs: true, Pattern: "-- PROGRAM",
		Recognizes: func(string) bool { return false },
		New:        func(func(string) string) executor.Runtime { return command.PythonRuntime{} },
		Provide:    providePrograms,
	}
}

// OfCommands returns the runtime that measures whole commands; empty if the table has none.
func (t Table) OfCommands() string {
	i := slices.IndexFunc(t, func(row Row) bool { return row.Programs })
	if i < 0 {
		return ""
	}
	return t[i].Name
}

// Programs reports whether the artifacts of a runtime are programs of the user, which are not confined.
func (t Table) Programs(runtime string) bool {
	row := t.Lookup(runtime)
	return row.Programs
}

// CommandName returns how a command is shown: as a user writes it in a shell.
func (t Table) CommandName(inv *invocations.Invocation) string {
	if inv.Artifact.Options[command.OptionShell] != "" {
		return strings.Join(inv.Command, " ")
	}
	return shellwords.Line(inv.Command...)
}

// providePrograms finds the programs of commands, so that a wrong name is found before anything runs.
func providePrograms(_ context.Context, r Request) ([]string, error) {
	for _, inv := range r.Invocations {
		if len(inv.Command) == 0 { // the program is named as an artifact is
			inv.Command = []string{inv.Artifact.Path}
		}
		name, shown := inv.Command[0], shellwords.Line(inv.Command...)
		if shell := inv.Artifact.Options[command.OptionShell]; shell != "" {
			name, shown = shell, "--"+command.OptionShell+" "+shell
		}
		path, err := FindProgram(name, inv.Folder, r.Setup.Variables.Lookup("PATH"))
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w; the words after -- are a command; write files to measure before --", err)
		}
		if words := strings.Fields(name); err != nil && len(words) > 1 && len(inv.Command) == 1 && programOf(words[0], r) {
			err = fmt.Errorf("there is no program %q; write its words apart: -- %s", name, name)
		}
		if err != nil && name == inv.Command[0] && strings.ContainsAny(name, shellBytes) {
			err = fmt.Errorf("%w; --%s runs the words as a line of a shell", err, command.OptionShell)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
		inv.Artifact.Path = path
	}
	return nil, nil
}

// programOf reports whether a word is a program on the path of a request.
func programOf(word string, r Request) bool {
	_, err := FindProgram(word, "", r.Setup.Variables.Lookup("PATH"))
	return err == nil
}

// shellBytes are bytes that mean something to a shell, and that names of programs rarely have.
const shellBytes = " \t|&;<>$()`*?"

// ForShell returns the first word of a command that a shell would take for a redirection, a pipe or a list; empty if
// there is none, or if a shell runs the words. Without a shell, the program gets it as it is.
func (t Table) ForShell(inv *invocations.Invocation) string {
	if inv.Artifact.Options[command.OptionShell] != "" {
		return ""
	}
	for _, word := range inv.Command[min(1, len(inv.Command)):] {
		bare := strings.TrimLeft(word, "0123456789")
		switch {
		case word == "|", word == "||", word == "&&", word == "&":
			return word
		case bare == "<", bare == ">", bare == ">>", strings.HasPrefix(bare, ">&"), strings.HasPrefix(bare, "&>"):
			return word
		}
	}
	return ""
}

// FindProgram returns the absolute path of a program. A name with a separator is relative to the folder, or to the
// working folder if that is empty. The error suggests a program of those in the folders that searched lists, as PATH
// does.
func FindProgram(name, folder, searched string) (string, error) {
	if !strings.ContainsRune(name, '/') && !strings.ContainsRune(name, filepath.Separator) {
		path, err := exec.LookPath(name)
		if err == nil {
			return filepath.Abs(path)
		}
		if errors.Is(err, exec.ErrNotFound) {
			known := programsOn(searched)
			err := fmt.Errorf("there is no program %s on PATH%s", name, spelling.Suggest(name, known))
			if near := spelling.Nearest(name, known); near != "" {
				err = remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: name, Value: near})
			}
			return "", err
		}
		return "", err
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := exec.LookPath(path); err != nil {
		why := errors.Unwrap(err)
		return "", fmt.Errorf("%s cannot be run: %w%s", path, why,
			spelling.Suggest(filepath.Base(path), programsOn(filepath.Dir(path))))
	}
	return path, nil
}

// programsOn returns the names of the programs in the folders of a list such as PATH holds.
func programsOn(list string) (names []string) {
	for _, folder := range filepath.SplitList(list) {
		found, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			continue
		}
		for _, path := range found {
			if _, err := exec.LookPath(path); err == nil {
				names = append(names, filepath.Base(path))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
