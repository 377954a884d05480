package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commands/commandstest"
)

// madeUp returns the pages of a made-up program.
func madeUp() Pages {
	run := cli.NewFlagSet("run")
	format := "text"
	run.Var(cli.Choice(&format, []string{"text", "csv"}), "format", "report: of what was measured")
	run.StringP("output", "o", "", "write the journal to this file")
	run.String("runtime", "", "runtime of the artifacts")
	cli.Takes(run, "runtime", []string{"hat", "iree"})
	run.BoolP("quiet", "q", false, "say nothing")
	run.String("group", "", "compare variants")
	run.Lookup("group").NoOptDefVal = "signature"
	intro := "Measure it.\n\nUsage: zonemark run [flags] PATH…\n\n.dots and \\ are text.\n\nExamples:\n  zonemark run a-b\n"
	return Pages{
		{Summary: "measures", Intro: "Usage: zonemark VERB\n\n  run        measure\n  trace      look\n\nThat is it.\n"},
		{Name: "run", Summary: "measure: things", Intro: intro, Flags: run},
		{Name: "trace", Summary: "look"},
		{Name: "trace diff", Summary: "compare"},
		{Name: "trace old"}, // an older name
		{Name: "setup", Summary: "install", Words: []string{"iree", "iree-capi", "halide"}},
	}
}

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                     "run trace setup",
		"tr":                   "trace",
		"trace ":               "diff",
		"trace d":              "diff",
		"nothing ":             "run trace setup",
		"run --fo":             "--format",
		"run -":                "--format --output --runtime --quiet --group --help",
		"run --format ":        "text csv",
		"run --format c":       "csv",
		"run --format=c":       "--format=csv",
		"run --runtime ":       "hat iree",
		"run --output ":        "",
		"run -o ":              "",
		"run -q ":              "",
		"run --group ":         "",
		"run a.hat --format t": "text",
		"run -- --fo":          "",
		"setup ir":             "iree iree-capi",
		"setup iree ha":        "halide",
		"--":                   "--help",
	} {
		words := strings.Split(line, " ")
		var got []string
		for _, c := range madeUp().Complete(words) {
			got = append(got, c.Word)
		}
		if line == "nothing " {
			continue // there is no such verb; what is offered does not matter, but it must not fail
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q: %q, want %q", line, text, want)
		}
	}
	if list := madeUp().Complete(nil); list != nil {
		t.Errorf("no words: %v", list)
	}
}

// FuzzComplete completes any command line for every shell.
func FuzzComplete(f *testing.F) {
	f.Add("run --format=", "bash")
	f.Add("run --format = c", "bash")
	f.Add("- -- = == -=", "zsh")
	f.Add("trace diff -", "fish")
	f.Fuzz(func(t *testing.T, line, shell string) {
		var b strings.Builder
		err := madeUp().WriteCandidates(&b, shell, strings.Split(line, " "))
		if known := slices.Contains(Shells(), shell); known != (err == nil) {
			t.Errorf("%q: %v", shell, err)
		}
	})
}

// TestLines: each shell gets candidates as it reads them. Bash takes words apart at "=".
func TestLines(t *testing.T) {
	for _, c := range []struct{ shell, line, want string }{
		{"bash", "run --format = c", "csv\n"},
		{"bash", "run --format =", "text\ncsv\n"},
		{"bash", "run --fo", "--format\n"},
		{"zsh", "ru", "run:measure: things\n"},
		{"zsh", "run --format=c", "--format=csv\n"},
		{"fish", "ru", "run\tmeasure: things\n"},
	} {
		var b strings.Builder
		if err := madeUp().WriteCandidates(&b, c.shell, strings.Split(c.line, " ")); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%s, %q: %q, want %q", c.shell, c.line, b.String(), c.want)
		}
	}
}

// TestScripts runs the script of each shell that is there, with a stand-in for zonemark that shows what it was called
// with.
func TestScripts(t *testing.T) {
	for shell, session := range map[string]string{
		"bash": `source "$1"; COMP_WORDS=(zonemark run --format = c x); COMP_CWORD=4; _zonemark; printf '%s\n' "${COMPREPLY[@]}"
			complete -p zonemark`,
		"zsh": `autoload -Uz compinit; compinit -D; source "$1"; words=(zonemark run --format c); CURRENT=4
			_describe() { print -l "$candidates[@]" }; _zonemark; print $_comps[zonemark]`,
		"fish": `source $argv[1]; complete -C 'zonemark run --format g'`,
	} {
		program, err := exec.LookPath(shell)
		if err != nil {
			if shell == "bash" && os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Logf("%s is not tried: %v", shell, err)
			continue
		}
		folder := t.TempDir()
		script, err := Script(shell)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		echo := "#!/bin/sh\nverb=$1 shell=$2; shift 2; printf 'got:%s:%s:' \"$verb\" \"$shell\"; printf '[%s]' \"$@\"; echo\n"
		if err := os.WriteFile(filepath.Join(folder, "zonemark"), []byte(echo), 0o700); err != nil {
			t.Fatal(err)
		}
		args := []string{"-c", session, shell, file}
		if shell == "fish" {
			args = []string{"-c", session, file}
		}
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+folder)
		out, err := cmd.CombinedOutput()
		want := "got:" + Verb + ":" + shell + ":[run][--format]"
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %s\n%s", shell, err, want, out)
		}
		if shell == "bash" && !strings.Contains(string(out), "[=][c]\n") {
			t.Errorf("bash hands over the wrong words:\n%s", out)
		}
	}
	if _, err := Script("csh"); err == nil {
		t.Error("there is a script for csh")
	}
}

// TestManual checks the text of the pages, and that groff finds nothing wrong with them.
func TestManual(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	names, err := madeUp().WriteManual(folder, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"zonemark.1", "zonemark-run.1", "zonemark-trace.1", "zonemark-trace-diff.1", "zonemark-trace-old.1",
		"zonemark-setup.1"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	run := page("zonemark-run.1")
	for _, want := range []string{
		".TH ZONEMARK-RUN 1 \"\" \"zonemark v1.2.3\"\n", "zonemark\\-run \\- measure: things\n",
		".SH SYNOPSIS\n.PP\n.nf\nzonemark run [flags] PATH\\[u2026]\n.fi\n.SH DESCRIPTION\nMeasure it.\n",
		"\n\\&.dots and \\e are text.\n", ".SH EXAMPLES\n.PP\n.nf\nzonemark run a\\-b\n.fi\n",
		"\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIstring\\fR\nwrite the journal to this file\n",
		"\\fB\\-\\-format\\fR \\fItext|csv\\fR\nreport: of what was measured (default text)\n",
		"\\fB\\-\\-group\\fR[=\\fIstring\\fR]\n", "\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nsay nothing\n",
		".SH SEE ALSO\n.BR zonemark (1)\n",
	} {
		if !strings.Contains(run, want) {
			t.Errorf("the page lacks %q:\n%s", want, run)
		}
	}
	if top := page("zonemark.1"); !strings.Contains(top, ".SH VERBS\n.TP\n.BR zonemark\\-run (1)\nmeasure: things\n") ||
		strings.Contains(top, "run        measure") || !strings.Contains(top, "That is it.") {
		t.Errorf("the first page: %s", top)
	}
	commandstest.Groff(t, folder, names)
}
