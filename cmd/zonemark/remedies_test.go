package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations/remedy"
)

// TestRemedies holds that the command line has words for each kind of remedy, and that every flag in them exists.
func TestRemedies(t *testing.T) {
	flags, err := os.ReadFile(filepath.Join("..", "..", "docs", "flags.md"))
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`--[a-z-]+`)
	for _, kind := range remedy.Kinds() {
		r := remedy.Remedy{Kind: kind, Name: "target", Value: "host"}
		if kind == remedy.Options {
			r.Value = "target=host"
		}
		text := cli.Remedy(r)
		if (text == r.String()) != (kind == remedy.Act) {
			t.Errorf("%s: %q", kind, text)
		}
		for _, name := range flag.FindAllString(text, -1) {
			if !strings.Contains(string(flags), "`"+name+"`") {
				t.Errorf("%s: %q has a flag that does not exist", kind, text)
			}
		}
	}
	for want, r := range map[string]remedy.Remedy{
		"name libttsim.so by --simulator or by the variable TT": {Kind: remedy.File, Name: "simulator", Value: "libttsim.so",
			Variable: "TT"},
		"name it by ZIG": {Kind: remedy.File, Value: "it", Variable: "ZIG"},
		"say how it is called: --function 'void f(int x[n], long n)' --param n=4": {Kind: remedy.Call, Name: "f",
			Value: "void f(int x[n], long n)", Parameters: "n=4"},
		"say how it is called: --param a=4 --param b=4x4":           {Kind: remedy.Call, Parameters: "a=4 b=4x4"},
		"name p.so by --plugin":                                     {Kind: remedy.File, Value: "p.so", Name: "plugin"},
		"give it with --param n=VALUE":                              {Kind: remedy.Parameter, Name: "n"},
		"give them with --param in.e=4x4":                           {Kind: remedy.Parameters, Name: "in.e", Value: "4x4"},
		"put zig on PATH":                                           {Kind: remedy.Act, Value: "put zig on PATH"},
		"give each one a size, such as --dim n=1 --dim 'seq len=1'": {Kind: remedy.Sizes, Value: "n=1\nseq len=1"},
		"give it like this: --source a.cpp --cflags '-Ia -Ib'":      {Kind: remedy.Options, Value: "source=a.cpp\ncflags=-Ia -Ib"},
		"say it by --param a=1 --param b=2":                         {Kind: remedy.Values, Value: "a=1\nb=2"},
	} {
		if got := cli.Remedy(r); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

// TestExecutorHasNoFlags holds that messages of the executor name no flag and no verb: it returns remedies.
func TestExecutorHasNoFlags(t *testing.T) {
	// Arguments of other programs and their flags, usage of options (from which flags are made), and a note.
	others := regexp.MustCompile(`"--[a-z_-]+=|--iree-|Usage:|"--version"|whole-archive|^\s*//|compile-option "|` +
		`--transfers included|--version: %w|\(--expected-output\), or compare|"generators of one source`)
	flag := regexp.MustCompile(`"[^"]*--[a-z][a-z-]+|zonemark (setup|peaks)`)
	root := filepath.Join("..", "..", "executor")
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if flag.MatchString(line) && !others.MatchString(line) {
				t.Errorf("%s:%d: %s", name, i+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
