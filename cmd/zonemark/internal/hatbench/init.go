package hatbench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/executor/csource"
	"zonemark/invocations/building"
	"zonemark/invocations/files"
)

const draftIntro = `Write a complete .hat file for the functions of a C file, a header or a library, to start from.

Usage: zonemark hat init [flags] FILE.c|FILE.h|FILE.so

Examples:
  zonemark hat init kernels.c                                  writes kernels.hat beside it
  zonemark hat init libkernels.so --header kernels.h -o -      to standard output
  zonemark hat init libkernels.so --function 'void scale(long n, float a, float x[n])'
`

// writeDraft is the verb "hat init": it writes the .hat file of a C file, a header or a library.
func writeDraft(ctx context.Context, p program.Program, args []string) int {
	set := cli.NewFlagSet("hat init")
	var prototypes []string
	options := map[string]*string{}
	set.Var(cli.List(&prototypes, "prototype"), "function", "prototype of a function, such as "+
		"'void scale(long n, float a, float x[n])'; repeatable")
	for _, o := range csource.Options() {
		if o.Name != csource.OptionPrototype && o.Name != csource.OptionSource { // packages are of one source
			options[o.Name] = set.String(o.Name, "", o.Usage)
		}
	}
	output := set.StringP("output", "o", "", "write this file instead of FILE.hat; -: standard output")
	overwrite := set.Bool("overwrite", false, "replace the file if it is there")
	err := cli.Parse(set, p.Streams, args, draftIntro)
	if err == nil && set.NArg() != 1 {
		err = errors.New("name one C file, header or library")
	}
	if err != nil {
		return p.Misused("hat init --help", err)
	}
	given := map[string]string{csource.OptionPrototype: strings.Join(prototypes, "; ")}
	for name, value := range options {
		given[name] = *value
	}
	return writeDraftOf(ctx, p, set.Arg(0), given, *output, *overwrite)
}

// writeDraftOf writes the .hat file for the file at path.
func writeDraftOf(
	ctx context.Context, p program.Program, path string, options map[string]string, output string, overwrite bool,
) int {
	if output == "" {
		output = strings.TrimSuffix(path, filepath.Ext(path)) + ".hat"
	}
	folder := filepath.Dir(output)
	if output == "-" {
		folder = filepath.Dir(path)
	}
	text, remarks, err := Draft(ctx, path, folder, options, p.Variables.Lookup,
		building.Workshop{Confine: hosting.Options{Variables: p.Variables}.Building()})
	if err != nil {
		return p.Fail("%v", err)
	}
	if output == "-" {
		if _, err := p.Out.Write([]byte(text)); err != nil {
			return p.Fail("%v", err)
		}
		return cli.ExitOK
	}
	if _, err := os.Lstat(output); err == nil && !overwrite {
		return p.Fail("%s is there already; name another file with -o, or say --overwrite", output)
	}
	if err := files.Write(output, 0o644, []byte(text)); err != nil {
		return p.Fail("%v", err)
	}
	if remarks != "" {
		p.Say("%s", strings.TrimSuffix(remarks, "\n"))
	}
	p.Say("wrote %s; measure it with: zonemark hat %s", output, output)
	return cli.ExitOK
}
