package iree

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/libpython"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
)

var (
	// runtimePlace matches the place in IREE's sources where an error was made: "c/runtime/src/iree/vm/context.c:86: ".
	runtimePlace = lazyregexp.New(`\S*\.(?:c|cc|cpp|h):\d+: `)
	// runtimeTrail matches how the runtime came to the error: "; while invoking native function hal.buffer_view.assert;
	// while calling import".
	runtimeTrail = lazyregexp.New(`; while (?:invoking native function|calling import)[^;]*`)
)

// ownWords are the types of exceptions whose texts need no type name to be understood.
var ownWords = []string{"ValueError", "RuntimeError", "LookupError", "FileNotFoundError", "PermissionError", "OSError"}

// words returns an error of the runtime as one line: its text without the places in its sources and the stack of the
// virtual machine. An error that is no Python exception stays as it is.
func words(err error) error {
	var e *libpython.Exception
	if !errors.As(err, &e) || e.Message == "" {
		return err
	}
	text := oneLine(e.Message)
	switch {
	case e.Type == "MemoryError", strings.Contains(text, "RESOURCE_EXHAUSTED"):
		return &executor.MemoryError{Err: errors.New(text)}
	case slices.Contains(ownWords, e.Type):
		return errors.New(text)
	}
	return errors.New(e.Type + ": " + text)
}

func oneLine(message string) string {
	message, _, _ = strings.Cut(message, "\n[")
	message = runtimeTrail().ReplaceAllString(runtimePlace().ReplaceAllString(message, ""), "")
	return strings.TrimRight(strings.Join(strings.Fields(message), " "), "; ")
}

// explained adds to an error of loading a module what to do about it. If this machine lacks something, the error is an
// UnsupportedError.
func explained(err error, in Installation, device string) error {
	err = words(err)
	version := "its version"
	if in.Version != "" {
		version = in.Version
	}
	switch text := err.Error(); {
	case strings.Contains(text, "bytecode version mismatch"),
		strings.Contains(text, "does not support this version of the runtime"):
		return fmt.Errorf("%w: compile the module with the compiler of the runtime that is installed, %s", err, version)
	case strings.Contains(text, "FlatBuffer"), strings.Contains(text, "cannot mmap an empty file"):
		return fmt.Errorf("not a module of IREE, or one that is cut off: %w", err)
	case strings.Contains(text, "INCOMPATIBLE;") && codeFormat().MatchString(text):
		var formats []string
		for _, m := range codeFormat().FindAllStringSubmatch(text, -1) {
			formats = append(formats, m[1])
		}
		return &executor.UnsupportedError{Reason: fmt.Sprintf("the module's code is %s, which device %s of this "+
			"machine (%s) does not run: compile it for this one, or choose another device",
			strings.Join(formats, ", "), device, runtime.GOARCH)}
	case strings.Contains(text, "required module '"):
		return lacks(err)
	case strings.HasPrefix(text, "Error creating driver: "):
		// What follows is a list of files.
		text, _, _ = strings.Cut(strings.TrimPrefix(text, "Error creating driver: "), ": Tried: ")
		return &executor.UnsupportedError{Reason: fmt.Sprintf("device %s cannot be had here: %s", device, text)}
	}
	return err
}

// codeFormat matches where the runtime names the format of a module's code.
var codeFormat = lazyregexp.New(`#hal\.executable\.target<"[^"]*", "([^"]*)"`)

// lacks adds to the error of a runtime about a module that calls another one what that is: files with parameters, or
// functions of a module that was not given.
func lacks(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, parametersModule):
		return remedy.With(fmt.Errorf("the module takes parameters from files: %w", err),
			remedy.Remedy{Kind: remedy.File, Name: optionParameterFiles, Value: "them"})
	case strings.Contains(text, "required module '"):
		return remedy.With(fmt.Errorf("the module calls functions of another one: %w", err),
			remedy.Remedy{Kind: remedy.File, Name: optionModules, Value: "that one (.vmfb or .mlir)"})
	}
	return err
}
