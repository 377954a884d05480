package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shownPage is what a page of the documentation shows.
type shownPage struct {
	files    map[string]string // blocks of code whose first line is a comment with the name of a file
	commands []shownCommand
}

// shownCommand is a command after "$ ", with the lines that the page shows of its output.
type shownCommand struct {
	line  string
	shown []string
}

// readPage reads a page of the documentation.
func readPage(t *testing.T, path string) shownPage {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := shownPage{files: map[string]string{}}
	for i, block := range strings.Split(string(text), "\n```") {
		if i%2 == 0 { // between blocks
			continue
		}
		language, code, _ := strings.Cut(block, "\n")
		first, _, _ := strings.Cut(code, "\n")
		name := strings.TrimLeft(first, "/# ")
		switch {
		case language == "console":
			for line := range strings.Lines(code) {
				if command, found := strings.CutPrefix(line, "$ "); found {
					p.commands = append(p.commands, shownCommand{line: strings.TrimSpace(command)})
				} else if last := len(p.commands) - 1; strings.TrimSpace(line) != "" {
					p.commands[last].shown = append(p.commands[last].shown, strings.TrimRight(line, "\n"))
				}
			}
		case strings.HasSuffix(name, "."+language) || language == "c" && strings.HasSuffix(name, ".h"):
			p.files[name] = code + "\n"
		}
	}
	return p
}

// TestFunctionsPage runs every command of docs/functions.md.
func TestFunctionsPage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no C compiler:", err)
	}
	p := readPage(t, filepath.Join("..", "..", "docs", "functions.md"))
	if len(p.commands) < 10 || len(p.files) < 4 {
		t.Fatalf("the page shows %d commands and %d files", len(p.commands), len(p.files))
	}
	bin, self := t.TempDir(), command(t)
	if err := os.Symlink(self.Path, filepath.Join(bin, "zonemark")); err != nil {
		t.Fatal(err)
	}
	p.run(t, bin, self.Env)
}

// run runs the commands of a page, in order, in a folder with the files that it shows. A program is searched in the
// folder programs first. The output holds the lines that the page shows. A command fails if and only if the page shows
// an error of it.
func (p shownPage) run(t *testing.T, programs string, environment []string) {
	dir := t.TempDir()
	for name, text := range p.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range p.commands {
		line := c.line
		if ours, isOurs := strings.CutPrefix(line, "zonemark "); isOurs {
			line = "zonemark " + soonDone(ours)
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(environment, "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		fails := len(c.shown) > 0 && strings.HasPrefix(c.shown[0], "zonemark: ")
		if fails == (err == nil) {
			t.Errorf("$ %s\nerror %v\n%s", c.line, err, out)
		}
		text := words(strings.ReplaceAll(string(out), dir+string(filepath.Separator), ""))
		for _, line := range c.shown {
			if !strings.Contains(text, words(line)) {
				t.Errorf("$ %s\nthe output does not hold %q:\n%s", c.line, line, out)
			}
		}
	}
}

// words returns a text with single blanks between its words, since columns are as wide as their contents.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }
