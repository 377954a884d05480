package docs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
	"zonemark/invocations/environ"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// largePages are the pages whose commands are much like those of others, or of scripts: they run in the large size.
var largePages = []string{
	"gallery.md", "peaks.md", "doctor.md", "remote.md", "iree.md", "history.md", "tune.md", "halide.md",
}

// plannedPages are pages whose commands run in the large size, and are planned in the small one: their files are read,
// and nothing is measured. The verbs that they show have a script that measures as they do.
var plannedPages = []string{"races.md"}

// ownTests are the pages whose commands have a test of their own, which writes the files that they show.
var ownTests = []string{"functions.md", "commands.md"}

// TestDocumentation runs every command that the README and the pages of docs show after "$ ", in order, each page in a
// folder of its own that looks like the top of the repository.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	top := e2e.Top(t)
	pages, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	runtimes := findDocumented(t)
	for _, page := range append(pages, filepath.Join(top, "README.md")) {
		commands := shownCommands(t, page)
		if name := filepath.Base(page); len(commands) == 0 || slices.Contains(ownTests, name) ||
			slices.Contains(largePages, name) && !testsize.Large() {
			continue
		}
		if slices.Contains(plannedPages, filepath.Base(page)) && !testsize.Large() {
			for i := range commands {
				commands[i] = append(commands[i], "--dry-run")
			}
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			runtimes.runAll(t, top, keptFolder(t, filepath.Base(page)), commands)
		})
	}
}

// shownCommands returns the words of each zonemark command of a page, without "$ zonemark".
func shownCommands(t *testing.T, page string) (commands [][]string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line) // no argument has a blank in it
		if len(words) < 3 || words[0] != "$" || words[1] != "zonemark" {
			continue
		}
		for i := range words {
			words[i] = strings.Trim(words[i], "'")
		}
		commands = append(commands, words[2:])
	}
	return commands
}

// documented has the runtimes that documented commands measure: the environment of those that are there.
type documented struct {
	environment               []string
	iree, cpu, models, halide bool
}

func findDocumented(t *testing.T) (d documented) {
	there := func(err error) bool {
		if err != nil && os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		return err == nil
	}
	options := setup.Options{Variables: environ.Of(e2e.Environment()...)}
	iree, err := setup.FindIREE(options)
	if d.iree = there(err); d.iree {
		d.environment = append(d.environment, iree.Environment()...)
	}
	cpu, err := setup.FindPJRTCPU(options)
	if d.cpu = there(err); d.cpu {
		d.environment = append(d.environment, setup.PJRTCPUVariable+"="+cpu)
	}
	models, err := setup.FindModels(options)
	if d.models = there(err); d.models {
		d.environment = append(d.environment, setup.ModelsPythonVariable+"="+models.Interpreter)
	}
	halide, err := setup.FindHalide(options)
	if d.halide = there(err); d.halide {
		d.environment = append(d.environment, halide.Environment()...)
	}
	return d
}

// has reports whether the runtimes that a command needs are there.
func (d documented) has(words []string) bool {
	ofIREE := func(word string) bool {
		return strings.HasSuffix(word, ".mlir") || word == "mlp.tracy" || word == "iree" || word == "tt,iree"
	}
	ofPJRT := func(word string) bool { return word == tt.Name || word == "tt,iree" }
	switch words[0] {
	case "bench":
		if !testsize.Large() { // each exports and compiles a model, as tests of package bench do
			return false
		}
		return d.models && d.cpu && (d.iree || !slices.ContainsFunc(words, func(word string) bool {
			return strings.HasSuffix(word, iree.Name)
		}))
	case "halide":
		return d.halide
	case "sweep", "estimate": // sweeps of IREE compile many programs, and one writes what is estimated by
		if slices.Contains(words, "here") || slices.Contains(words, "tt,iree") {
			return d.iree && d.cpu && testsize.Large()
		}
	}
	if slices.ContainsFunc(words, func(word string) bool { return filepath.Base(word) == "models.toml" }) {
		return d.models && d.cpu && d.iree && testsize.Large()
	}
	return (d.cpu || !slices.ContainsFunc(words, ofPJRT)) && (d.iree || !slices.ContainsFunc(words, ofIREE))
}

// keptFolder returns an empty folder for a page, which has one path in all runs of the tests. Modules name their source,
// so that what is compiled of a source with another path is not found in the cache. A run that comes while another has
// the folder gets a temporary one.
func keptFolder(t *testing.T, page string) string {
	t.Helper()
	dir := filepath.Join(testneeds.Cache(t, "pages"), page)
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := files.TryLock(lock)
	if err != nil {
		lock.Close()
		return t.TempDir()
	}
	remove := func() error { return os.RemoveAll(dir) }
	t.Cleanup(func() {
		if err := errors.Join(remove(), unlock(), lock.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := errors.Join(remove(), os.Mkdir(dir, 0o755)); err != nil { // a run that was killed leaves it
		t.Fatal(err)
	}
	return dir
}

func (d documented) runAll(t *testing.T, top, dir string, commands [][]string) {
	for _, name := range []string{"cmd", "executor", "trace"} {
		if err := os.Symlink(filepath.Join(top, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range commands {
		if !d.has(words) {
			continue
		}
		cmd := e2e.Command(t, slices.Concat(words, e2e.Shorter(words))...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, d.environment...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("zonemark %s: %v\n%s", strings.Join(words, " "), err, out)
		}
		if words[0] == "run" && slices.Contains(words, "-t") &&
			!strings.Contains(string(out), "_dispatch_1_matmul_") {
			t.Errorf("the example prints no dispatches:\n%s", out)
		}
	}
}
