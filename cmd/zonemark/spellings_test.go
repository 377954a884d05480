package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/program"
)

var (
	namedVerb  = regexp.MustCompile(`\bzonemark ([a-z]+)(?: ([a-z]+))?`)
	namedFlag  = regexp.MustCompile(`[ \[]--([a-z][a-z-]*[a-z])(?:[ =\],]|$)`)
	commandEnd = regexp.MustCompile("  |`|\"|[.;:] | \\(| -- ")
)

// TestShownCommandsHaveTodaysFlags: commands in the help and in docs have no older spellings of flags, and no flags that
// their verbs lack. Words after " -- " are another program's, and others.md has the flags of other programs.
func TestShownCommandsHaveTodaysFlags(t *testing.T) {
	list := pages(t.Context(), program.Standard())
	shown := map[string]commands.Page{}
	for _, page := range list {
		shown[page.Name] = page
	}
	check := func(where, text string) {
		for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", ""), "\n") {
			verb := namedVerb.FindStringSubmatchIndex(line)
			if verb == nil {
				continue
			}
			page, is := shown[strings.TrimPrefix(line[verb[0]:verb[1]], "zonemark ")]
			if !is {
				page, is = shown[line[verb[2]:verb[3]]]
			}
			if !is || page.Flags == nil {
				continue
			}
			rest := line[verb[1]:]
			if end := commandEnd.FindStringIndex(rest); end != nil {
				rest = rest[:end[0]]
			}
			for _, flag := range namedFlag.FindAllStringSubmatch(rest, -1) {
				if f := page.Flags.Lookup(flag[1]); flag[1] != "help" && (f == nil || f.Hidden) {
					t.Errorf("%s: %s: --%s is no flag of today", where, strings.TrimSpace(line), flag[1])
				}
			}
		}
	}
	for _, page := range list {
		check("zonemark "+page.Name+" --help", page.Intro)
	}
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(documents) < 20 {
		t.Fatalf("%d documents, error %v", len(documents), err)
	}
	for _, name := range append(documents, "../../README.md", "../../CONTRIBUTING.md") {
		if filepath.Base(name) == "others.md" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		check(name, string(text))
	}
}
