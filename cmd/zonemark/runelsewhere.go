package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/shellwords"

	"github.com/spf13/pflag"
)

// libraryWord is a library as linkers take it.
var libraryWord = lazyregexp.New(`^-l[A-Za-z]\w*$`)

// ownFlags returns the arguments before "--" and those from it on.
func ownFlags(args []string) (own, commands []string) {
	if at := slices.Index(args, "--"); at >= 0 {
		return args[:at], args[at:]
	}
	return args, nil
}

// flagAt returns the flag with which words begin, its value, which may be the next word, and the words behind both.
func flagAt(words []string) (name, value string, rest []string) {
	name, value, joined := strings.Cut(words[0], "=")
	if !joined && len(words) > 1 {
		return name, words[1], words[2:]
	}
	return name, value, words[1:]
}

// leftOut returns the error about a flag of hyperfine whose value says what is always so; nil if there is none.
func leftOut(args []string) error {
	own, commands := ownFlags(args)
	for i := range own {
		name, value, rest := flagAt(own[i:])
		why := ""
		switch {
		case (name == "--shell" || name == "-S") && value == "none":
			why = "is not needed: commands run without a shell unless --shell is given"
		case name == "--output" && slices.Contains([]string{"null", "pipe", "inherit"}, value):
			why = "has no counterpart: what commands print is not shown, and --output names the journal"
		default:
			continue
		}
		words := slices.Concat(own[:i], rest, commands)
		return &cli.Signpost{Text: fmt.Sprintf("%s %s %s", name, value, why),
			Command: cli.CommandLine("run", cli.AsCommands(words, "--group")...)}
	}
	return nil
}

// referenceOf returns the error about hyperfine's flag for the command that others are compared with; nil if it is not
// among the arguments, or no command is.
func referenceOf(args []string) error {
	own, commands := ownFlags(args)
	for i := range own {
		name, value, rest := flagAt(own[i:])
		if name != "--reference" || value == "" || strings.ContainsAny(value, shellCharacters) {
			continue
		}
		own, commands = ownFlags(cli.AsCommands(slices.Concat(own[:i], rest, commands)))
		if len(commands) < 2 {
			return nil
		}
		verb := "compare --measure"
		if slices.Contains(commands, cli.CommandSeparator) {
			verb = "run --group"
		}
		words := slices.Concat(own, []string{"--"}, strings.Fields(value), []string{cli.CommandSeparator}, commands[1:])
		return &cli.Signpost{Text: "--reference is a comparison here:", Command: cli.CommandLine(verb, words...)}
	}
	return nil
}

// libraryByFlag returns the error about a library that is named as linkers take it: with its path or, beside a source,
// with the flags of the compiler; nil if there is none.
func libraryByFlag(p program.Program, args []string) error {
	own, commands := ownFlags(args)
	at := slices.IndexFunc(own, libraryWord().MatchString)
	if at < 0 || at > 0 && strings.HasSuffix(own[at-1], "flags") || len(commands) > 0 {
		return nil
	}
	if slices.ContainsFunc(own, func(w string) bool { return verbFor(p, w) == "run" }) {
		words := append(slices.Delete(slices.Clone(own), at, at+1), "--cflags="+own[at])
		return &cli.Signpost{Text: own[at] + " is for the linker; --cflags takes its flags:",
			Command: cli.CommandLine("run", words...)}
	}
	library := measuring.SystemLibrary("lib" + own[at][2:])
	if library == "" {
		return nil
	}
	words := append(slices.Clone(own[:at]), library)
	for _, word := range own[at+1:] { // functions have a flag
		if parameterName(word) && !strings.HasPrefix(words[len(words)-1], "-") {
			words = append(words, "--function")
		}
		words = append(words, word)
	}
	return &cli.Signpost{Text: own[at] + " is for linkers; the library is measured by its path:",
		Command: cli.CommandLine("run", words...)}
}

// moduleMeasured returns the error about a module that is to be measured, and is named as iree-run-module takes it;
// nil if something else is measured.
func moduleMeasured(p program.Program, set *pflag.FlagSet, args []string) error {
	if set.NArg() > 0 || !set.Changed("module") {
		return nil
	}
	for i, word := range args {
		value, is := strings.CutPrefix(word, "--module=")
		used := 1
		if word == "--module" && i+1 < len(args) {
			value, is, used = args[i+1], true, 2
		}
		if is && verbFor(p, value) == "run" {
			return &cli.Signpost{Text: "--module names what a module needs; the one to measure stands alone:",
				Command: cli.CommandLine("run", slices.Concat(args[:i], []string{value}, args[i+used:])...)}
		}
	}
	return nil
}

// madeFirst has what makes something to measure of files of other programs, by their extensions. "%s" is the file, and "*"
// its name without the extension.
var madeFirst = map[string]struct{ what, makes, command string }{
	".rs":     {"Rust is measured as a shared library", "lib*.so", "rustc -O --crate-type cdylib -o lib*.so %s"},
	".zig":    {"Zig is measured as a shared library", "lib*.so", "zig build-lib -dynamic -O ReleaseFast -femit-bin=lib*.so %s"},
	".f90":    {"Fortran is measured as a shared library", "lib*.so", "gfortran -O2 -shared -fPIC -o lib*.so %s"},
	".cu":     {"CUDA is measured as a whole program", "", "nvcc -O3 -o * %s && zonemark run -- ./*"},
	".tflite": {"TensorFlow Lite's models are imported first", "*.mlirbc", "iree-import-tflite %s -o *.mlirbc"},
	".pt":     {"a model of PyTorch is exported first: torch.onnx.export(model, inputs, \"*.onnx\")", "*.onnx", ""},
	".pth":    {"a model of PyTorch is exported first: torch.onnx.export(model, inputs, \"*.onnx\")", "*.onnx", ""},
}

// fileOfAnother returns the error about a file that something else is made of first; nil if there is none.
func fileOfAnother(args, paths []string) error {
	for i, word := range args {
		extension := filepath.Ext(word)
		one, known := madeFirst[extension]
		if !known || !slices.Contains(paths, word) || !cli.Exists(word) {
			continue
		}
		base := strings.TrimSuffix(filepath.Base(word), extension)
		fill := func(text string) string {
			return strings.ReplaceAll(strings.ReplaceAll(text, "*", base), "%s", shellwords.Line(word))
		}
		command := fill(one.command)
		if one.makes != "" {
			measured := cli.CommandLine("run", slices.Concat(args[:i], []string{fill(one.makes)}, args[i+1:])...)
			command = strings.TrimPrefix(command+" && "+measured, " && ")
		}
		return &cli.Signpost{Text: word + ": " + fill(one.what), Command: command}
	}
	return nil
}

// separators are what people write between two commands, other than ":::".
var separators = []string{"--", ",", "vs", "versus"}

// separatedCommands returns the command line in which ":::" stands between two commands, if another separator does so;
// else "".
func separatedCommands(args []string, commands [][]string) string {
	if len(commands) != 1 {
		return ""
	}
	words := commands[0]
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(separators, w) })
	if at < 1 || at+1 == len(words) || !cli.IsProgram(words[at+1]) {
		return ""
	}
	own, _ := ownFlags(args)
	return cli.CommandLine("run", slices.Concat(own, []string{"--group", "--"}, words[:at],
		[]string{cli.CommandSeparator}, words[at+1:])...)
}
