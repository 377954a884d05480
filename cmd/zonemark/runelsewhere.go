package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
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

// leftOut returns the error about a flag of hyperfine whose value says what is always so; nil if there is none.
func leftOut(args []string) error {
	for _, c := range []struct {
		flags, values []string
		why           string
	}{
		{[]string{"--shell", "-S"}, []string{"none"},
			"is not needed: commands run without a shell unless --shell is given"},
		{[]string{"--output"}, []string{"null", "pipe", "inherit"},
			"has no counterpart: what commands print is not shown, and --output names the journal"},
	} {
		for _, name := range c.flags {
			for _, v := range cli.ValuesOf(name, args) {
				if slices.Contains(c.values, v.Text) {
					return &cli.Signpost{Text: fmt.Sprintf("%s %s %s", name, v.Text, c.why),
						Command: cli.CommandLine("run", cli.AsCommands(v.Replaced(args), "--group")...)}
				}
			}
		}
	}
	return nil
}

// referenceOf returns the error about hyperfine's flag for the command that others are compared with; nil if it is not
// among the arguments, or no command is.
func referenceOf(args []string) error {
	for _, v := range cli.ValuesOf("--reference", args) {
		if v.Text == "" || strings.ContainsAny(v.Text, shellCharacters) {
			continue
		}
		own, commands := ownFlags(cli.AsCommands(v.Replaced(args)))
		if len(commands) < 2 {
			return nil
		}
		verb := "compare --measure"
		if slices.Contains(commands, cli.CommandSeparator) {
			verb = "run --group"
		}
		words := slices.Concat(own, []string{"--"}, strings.Fields(v.Text), []string{cli.CommandSeparator}, commands[1:])
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
	for _, v := range cli.ValuesOf("--module", args) {
		if verbFor(p, v.Text) == "run" {
			return &cli.Signpost{Text: "--module names what a module needs; the one to measure stands alone:",
				Command: cli.CommandLine("run", v.Replaced(args, v.Text)...)}
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

// separators are what people write between two commands, other than ":::". Those from versus on are no arguments of
// programs.
var separators = []string{"--", ",", "versus", "vs", "vs."}

// separatorNotFile returns the error about a separator between two files; nil if there is none.
func separatorNotFile(args, paths []string) error {
	at := slices.IndexFunc(args, func(w string) bool {
		return slices.Contains(paths, w) && slices.Contains(separators, w) && !cli.Exists(w)
	})
	if at < 0 {
		return nil
	}
	return &cli.Signpost{Text: args[at] + " is no file; to compare what several have:",
		Command: cli.CommandLine("run --group", slices.Concat(args[:at], args[at+1:])...)}
}

// flagsBehind returns the command line in which flags of run stand before a command that has failed, and not behind it;
// "" if there are none, or they do not parse. Other programs' words for them are translated.
func flagsBehind(p program.Program, args []string, commands [][]string, status int) string {
	if len(commands) == 0 || status != cli.ExitNotOK {
		return ""
	}
	behind := len(args) - len(commands[len(commands)-1])
	at := behind + 1
	for at < len(args) && !strings.HasPrefix(args[at], "--") {
		at++
	}
	if at >= len(args) {
		return ""
	}
	own, rest := ownFlags(args[:at])
	words := slices.Concat(own, args[at:], rest)
	f := measureflags.New("run", p, nil)
	paths, err := f.Parse(words, "")
	var post *cli.Signpost
	switch {
	case errors.As(err, &post):
		return post.Command
	case err != nil || f.Set.ArgsLenAtDash() != 0 || len(paths) == 0:
		return ""
	}
	return cli.CommandLine("run", words...)
}

// separatedCommands returns the command line in which ":::" stands between two commands, if another separator does so;
// else "". One that may be an argument counts if the command has failed.
func separatedCommands(args []string, commands [][]string, status int) string {
	if len(commands) != 1 {
		return ""
	}
	words := commands[0]
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(separators, w) })
	if at < 1 || at+1 == len(words) || !cli.IsProgram(words[at+1]) ||
		status != cli.ExitNotOK && slices.Index(separators, words[at]) < slices.Index(separators, "versus") {
		return ""
	}
	own, _ := ownFlags(args)
	return cli.CommandLine("run", slices.Concat(own, []string{"--group", "--"}, words[:at],
		[]string{cli.CommandSeparator}, words[at+1:])...)
}
