package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

// formatOf has what is printed in a format of its own, by the extension of a file that is wanted.
var formatOf = map[string]string{
	".csv": "csv", ".tsv": "csv", ".xlsx": "csv", ".parquet": "csv",
	".json": "ndjson", ".ndjson": "ndjson", ".txt": "text", ".md": "text",
}

// formatsElsewhere has formats of other programs with those of ours that are near.
var formatsElsewhere = map[string]string{
	"json": "ndjson", "jsonl": "ndjson", "tsv": "csv", "excel": "csv", "xlsx": "csv", "parquet": "csv", "pandas": "csv",
	"md": "text", "markdown": "text", "table": "text", "console": "text", "html": "text",
}

// pictures are extensions of files with drawings.
var pictures = []string{".svg", ".png", ".pdf", ".jpg", ".gif"}

// pageNotFile returns the error about a path to measure that is no file but the name of a page or a picture; nil if none is.
func pageNotFile(args, paths []string) error {
	for i, word := range args {
		extension := strings.ToLower(filepath.Ext(word))
		if !slices.Contains(paths, word) || cli.Exists(word) || extension != ".html" && !slices.Contains(pictures, extension) {
			continue
		}
		before := slices.DeleteFunc(slices.Clone(args[:i]), func(w string) bool { return w == "--plot" || w == "--histogram" })
		named := strings.TrimSuffix(word, filepath.Ext(word)) + ".html"
		return &cli.Signpost{Text: word + " is no file; a page with drawings has a flag:",
			Command: cli.CommandLine("run", slices.Concat(before, []string{"--html", named}, args[i+1:])...)}
	}
	return nil
}

// kindOfFile returns the error about a page or a journal whose name says that another kind of file is wanted, with the
// command that writes it; nil if the names fit.
func kindOfFile(set *pflag.FlagSet, args []string) error {
	page, _ := set.GetString("html")
	extension := strings.ToLower(filepath.Ext(page))
	named := strings.TrimSuffix(page, filepath.Ext(page)) + ".html"
	switch {
	case page == "":
	case set.Name() == "report" && set.NArg() == 0 && extension == ".ndjson" && cli.Exists(page):
		return &cli.Signpost{Text: "--html " + page + ": it is a journal, and the page needs a name:",
			Command: cli.CommandLine("report", cli.Replaced(set, args, "html", page, "--html", named)...)}
	case formatOf[extension] != "" && !cli.Exists(page):
		return printedTo(set, args, "html", page, "a page is HTML")
	case slices.Contains(pictures, extension):
		return &cli.Signpost{Text: "--html " + page + ": a page is HTML, with drawings (SVG):",
			Command: cli.CommandLine(set.Name(), cli.Replaced(set, args, "html", "--html", named)...)}
	}
	journal, _ := set.GetString("output")
	if extension := strings.ToLower(filepath.Ext(journal)); set.Name() == "run" && formatOf[extension] == "csv" && !cli.Exists(journal) {
		return printedTo(set, args, "output", journal, "the journal is NDJSON")
	}
	return nil
}

// printedTo returns the error about a flag whose file is wanted in a format that goes to standard output.
func printedTo(set *pflag.FlagSet, args []string, flag, path, is string) error {
	words := cli.Replaced(set, args, flag)
	format := formatOf[strings.ToLower(filepath.Ext(path))]
	if extension := filepath.Ext(path); slices.Contains([]string{".xlsx", ".parquet"}, strings.ToLower(extension)) {
		path = strings.TrimSuffix(path, extension) + ".csv"
	}
	words = cli.Replaced(set, words, "format", "--format", format)
	return &cli.Signpost{Text: fmt.Sprintf("--%s %s: %s; this writes what the name says:", flag, path, is),
		Command: cli.CommandLine(set.Name(), words...) + " >" + shellwords.Line(path)}
}

// formatMeant returns the error about an unknown format, with the command that has the nearest one; nil if it is known, or
// none is near.
func formatMeant(p program.Program, set *pflag.FlagSet, args []string) error {
	name, _ := set.GetString("format")
	_, err := p.Formats.Lookup(name)
	if err == nil || !set.Changed("format") || name == "" {
		return nil
	}
	near := formatsElsewhere[strings.ToLower(name)]
	if near == "" {
		near = spelling.Nearest(strings.ToLower(name), p.Formats.Names())
	}
	if near == "" {
		return nil
	}
	return &cli.Signpost{Text: fmt.Sprintf("--format: %v", err),
		Command: cli.CommandLine(set.Name(), cli.Replaced(set, args, "format", "--format", near)...)}
}
