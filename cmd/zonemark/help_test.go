package main

import (
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/commands/commandstest"
	"zonemark/cmd/zonemark/internal/program"

	"github.com/spf13/pflag"
)

// TestHelpInTiers: the help of each verb fits 90 lines of 80 columns, every flag is in it or in one of its topics, and a
// mistyped topic is an error.
func TestHelpInTiers(t *testing.T) {
	for _, page := range pages(t.Context(), program.Standard()) {
		text, err := cli.Help(page.Flags, page.Intro, "", 80)
		if lines := strings.Count(text, "\n"); err != nil || lines > 90 {
			t.Errorf("%q: %d lines, error %v", page.Name, lines, err)
		}
		if page.Flags == nil {
			continue
		}
		all, err := cli.Help(page.Flags, page.Intro, "all", 80)
		if err != nil {
			t.Errorf("%q: %v", page.Name, err)
		}
		for _, line := range strings.Split(text, "\n") {
			if _, topic, is := strings.Cut(line, " --help "); is && strings.HasPrefix(line, "  zonemark "+page.Name) {
				one, err := cli.Help(page.Flags, page.Intro, strings.Fields(topic)[0], 80)
				if err != nil {
					t.Errorf("%q: %v", page.Name, err)
				}
				text += one
			}
		}
		page.Flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && (!strings.Contains(text, "--"+f.Name) || !strings.Contains(all, "--"+f.Name)) {
				t.Errorf("%q: --%s is in no help", page.Name, f.Name)
			}
		})
		if _, err := cli.Help(page.Flags, page.Intro, "tming", 80); err == nil {
			t.Errorf("%q: no error for a topic that there is not", page.Name)
		}
	}
}

// TestPages: every verb that the help shows has a page with its usage, and one with flags where it has some.
func TestPages(t *testing.T) {
	list := pages(t.Context(), program.Standard())
	seen := map[string]commands.Page{}
	for _, page := range list {
		seen[page.Name] = page
		if page.Summary == "" || !strings.Contains(page.Intro, "Usage: zonemark") {
			t.Errorf("%q: summary %q, help %q", page.Name, page.Summary, page.Intro)
		}
	}
	for _, name := range commandNames() {
		if _, found := seen[name]; !found {
			t.Errorf("%s has no page", name)
		}
	}
	for _, name := range []string{"run", "hat", "bench", "list", "trace diff", "halide run", "halide pretrain", "sweep",
		"fit", "estimate", "setup"} {
		if page, found := seen[name]; !found || page.Flags == nil {
			t.Errorf("the page of %s has no flags", name)
		}
	}
	folder := t.TempDir()
	names, err := list.WriteManual(folder, "devel")
	if err != nil {
		t.Fatal(err)
	}
	commandstest.Groff(t, folder, names)
}
