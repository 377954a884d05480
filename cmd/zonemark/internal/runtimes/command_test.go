//go:build unix

package runtimes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup"
	"zonemark/executor/command"
	"zonemark/invocations"
	"zonemark/invocations/environ"
)

// Programs are found on PATH, or by their paths from the folder of the command, before anything runs.
func TestProvidePrograms(t *testing.T) {
	folder := t.TempDir()
	for name, mode := range map[string]os.FileMode{"counter": 0o755, "notes": 0o644} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	o := setup.Options{Variables: environ.Of("PATH=" + folder)}
	for _, c := range []struct {
		words  []string
		shell  string
		want   string // program in the folder
		failed string // part of the error
	}{
		{words: []string{"counter", "1"}, want: "counter"},
		{words: []string{"./counter"}, want: "counter"},
		{words: []string{filepath.Join(folder, "counter")}, want: "counter"},
		{words: []string{"no program at all"}, shell: "counter", want: "counter"},
		{words: []string{"countre", "a b"}, failed: `countre 'a b': there is no program countre on PATH; did you mean "counter"?`},
		{words: []string{"./countre"}, failed: `no such file or directory; did you mean "counter"?`},
		{words: []string{"./notes"}, failed: "notes cannot be run: permission denied; the words after -- are a command"},
		{words: []string{"counter 1"}, failed: `there is no program "counter 1"; write its words apart: -- counter 1; --shell`},
		{words: []string{"x"}, shell: "nosh", failed: "--shell nosh: there is no program nosh on PATH"},
	} {
		list := []invocations.Invocation{{Runtime: command.Name, Command: c.words, Folder: folder}}
		if c.shell != "" {
			list[0].SetOption(command.OptionShell, c.shell)
		}
		_, err := All().Provide(t.Context(), o, list)
		switch {
		case c.failed != "":
			if err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%q: error %v, want %s", c.words, err, c.failed)
			}
		case err != nil || list[0].Artifact.Path != filepath.Join(folder, c.want):
			t.Errorf("%q: %s, error %v", c.words, list[0].Artifact.Path, err)
		}
	}
	named := []invocations.Invocation{{
		Runtime: command.Name, Artifact: invocations.Artifact{Path: filepath.Join(folder, "counter")},
	}}
	if _, err := All().Provide(t.Context(), o, named); err != nil ||
		!slices.Equal(named[0].Command, []string{named[0].Artifact.Path}) {
		t.Errorf("a program that is named as an artifact: %+v, error %v", named, err)
	}
}

// A word that only a shell understands is found, unless a shell runs the words.
func TestForShell(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"sort", "words", "&>", "x"}, "&>"},
		{[]string{"sort", "<", "words"}, "<"},
		{[]string{"sort", "words", "2>", "x"}, "2>"},
		{[]string{"sort", "words", "2>&1"}, "2>&1"},
		{[]string{"sort", "words", "|", "uniq"}, "|"},
		{[]string{"sort", "words"}, ""},
		{[]string{"grep", "<a>", "x;y", "a|b", "->"}, ""},
		{[]string{"find", ".", "-exec", "ls", ";"}, ""},
		{nil, ""},
	} {
		inv := &invocations.Invocation{Command: c.words}
		if got := All().ForShell(inv); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
		inv.Artifact.Options = map[string]string{command.OptionShell: "sh"}
		if got := All().ForShell(inv); got != "" {
			t.Errorf("%q with a shell: %q", c.words, got)
		}
	}
}
