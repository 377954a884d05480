package comparing

import (
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/driver/journal"
)

// checkCommandLines returns the way to compare two commands that stand where files would, each in one word.
func (f *Flags) checkCommandLines(args []string) error {
	if len(f.arguments) != 2 || slices.ContainsFunc(f.arguments, func(w string) bool {
		return !cli.IsCommandLine(w) && (!cli.IsExecutable(w) || f.canBeMeasured(w))
	}) {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(args), func(w string) bool {
		return w == "--measure" || slices.Contains(f.arguments, w)
	})
	words = slices.Concat(words, []string{"--"}, strings.Fields(f.arguments[0]), []string{cli.CommandSeparator},
		strings.Fields(f.arguments[1]))
	return &cli.Signpost{Text: f.arguments[0] + " is no file with results; to measure these commands and compare them:",
		Command: cli.CommandLine("compare --measure", words...)}
}

// checkVariants returns the way to compare functions of one file with each other: FILE, FILE NAME NAME, FILE:NAME
// FILE:NAME.
func (f *Flags) checkVariants(args []string) error {
	if f.artifact != "" || f.bisect || len(f.words) > 0 {
		return nil
	}
	var files, names []string
	for _, word := range f.arguments {
		file, name, of := strings.Cut(word, ":")
		switch measurable := f.canBeMeasured(file) && cli.Exists(file); {
		case measurable && (of || len(f.arguments) != 2) && !slices.Contains(files, file):
			files = append(files, file)
		case !measurable && (of || cli.Exists(word) || strings.ContainsAny(word, "./ ")):
			return nil
		case measurable && !of:
			return nil
		case !measurable:
			name, of = word, true
		}
		if of {
			names = append(names, "--function", name)
		}
	}
	two := len(files) == 2 && len(names) == 4
	if len(files) != 1 && !two || len(names) == 2 {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(args), func(w string) bool {
		return w == "--measure" || slices.Contains(f.arguments, w)
	})
	if two && names[1] == names[3] {
		return &cli.Signpost{Text: f.arguments[0] + " is no file with results; the function has a flag:",
			Command: cli.CommandLine("compare --measure", slices.Concat(files, names[:2], words)...)}
	}
	return &cli.Signpost{Text: "compare takes two sides; to rank the functions of one file:",
		Command: cli.CommandLine("run --group", slices.Concat(files, names, words)...)}
}

// later is the journal of a run that is still to be made.
const later = "new.ndjson"

// checkAgain returns the way to compare a journal with a run that is still to be made: of the same, or of another
// source.
func (f *Flags) checkAgain() error {
	if f.measure || f.bisect || len(f.words) > 0 || len(f.arguments) == 0 || len(f.arguments) > 2 {
		return nil
	}
	words, at := f.runOf(f.arguments[0])
	if words == nil {
		return nil
	}
	if len(f.arguments) == 2 {
		source := f.arguments[1]
		if at < 0 || !f.canBeMeasured(source) || !cli.Exists(source) {
			return nil
		}
		words[at] = source
	}
	text := "compare takes two files with results; to measure again and compare with " + f.arguments[0] + ":"
	return &cli.Signpost{Text: text,
		Command: cli.CommandLine("run", append(words, "-o", later)...) + " && " +
			cli.CommandLine("compare", f.arguments[0], later)}
}

// runOf returns the words behind run of the command that has written a journal, without those about the journal and the
// report, and where what was measured is among them, if it is one file; nil if it is no journal of a run.
func (f *Flags) runOf(path string) (words []string, artifact int) {
	header, err := journal.ReadHeader(path)
	if err != nil || len(header.Command) < 2 || header.Command[1] != "run" {
		return nil, -1 // which others say
	}
	run := measureflags.New("run", f.Program, nil).Set
	words = header.Command[2:]
	for _, name := range []string{"output", "resume", "overwrite", "html", "format"} {
		words = cli.Replaced(run, words, name)
	}
	artifact = -1
	for i, word := range words {
		switch {
		case !f.canBeMeasured(word):
		case artifact >= 0:
			return words, -1
		default:
			artifact = i
		}
	}
	return words, artifact
}

// sayHowToDecide says the command that measures what was not decided on both sides by turns, if two journals are of two
// files that were measured in the same way.
func (f *Flags) sayHowToDecide() {
	old, at := f.runOf(f.arguments[0])
	words, new := f.runOf(f.arguments[1])
	if at < 0 || new < 0 || old[at] == words[new] || !slices.Equal(slices.Delete(slices.Clone(old), at, at+1),
		slices.Delete(slices.Clone(words), new, new+1)) {
		return
	}
	words = slices.Concat([]string{old[at], words[new]}, slices.Delete(slices.Clone(words), new, new+1))
	f.Say("both measured now, in turns, until it is decided:\n  %s", cli.CommandLine("compare --measure", words...))
}
