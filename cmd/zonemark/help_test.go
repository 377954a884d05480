package main

import (
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/commands/commandstest"
	"zonemark/cmd/zonemark/internal/program"
)

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
