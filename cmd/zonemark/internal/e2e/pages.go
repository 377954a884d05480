package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/testsize"
)

// ShownPage is what a page of the documentation shows.
type ShownPage struct {
	Files    map[string]string // blocks of code whose first line is a comment with the name of a file
	Commands []ShownCommand
}

// ShownCommand is a command after "$ ", with the lines that the page shows of its output.
type ShownCommand struct {
	line  string
	shown []string
}

// ReadPage reads a page of the documentation.
func ReadPage(t *testing.T, path string) ShownPage {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := ShownPage{Files: map[string]string{}}
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
					p.Commands = append(p.Commands, ShownCommand{line: strings.TrimSpace(command)})
				} else if last := len(p.Commands) - 1; strings.TrimSpace(line) != "" {
					p.Commands[last].shown = append(p.Commands[last].shown, strings.TrimRight(line, "\n"))
				}
			}
		case strings.HasSuffix(name, "."+language) || language == "c" && strings.HasSuffix(name, ".h"):
			p.Files[name] = code + "\n"
		}
	}
	return p
}

// Run runs the commands of a page, in order, in a folder with the files that it shows. The output holds the
// lines that the page shows; for a note, which a measurement beside other tests may not come to, a command is tried again.
// A command fails if and only if the page shows an error of it.
func (p ShownPage) Run(t *testing.T, environment []string) {
	dir := t.TempDir()
	for name, text := range p.Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range p.Commands {
		line, added := c.line, ""
		if ours, isOurs := strings.CutPrefix(line, "zonemark "); isOurs {
			line = "zonemark " + SoonDone(ours)
			added = strings.Join(Shorter(strings.Fields(ours)), " ") + " "
		}
		Tries(func(last bool) bool {
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			cmd.Env = environment
			out, err := cmd.CombinedOutput()
			fails := len(c.shown) > 0 && strings.HasPrefix(c.shown[0], "zonemark: ")
			if fails == (err == nil) {
				t.Errorf("$ %s\nerror %v\n%s", c.line, err, out)
			}
			text := Words(strings.ReplaceAll(string(out), dir+string(filepath.Separator), ""))
			if added != " " { // errors repeat the command
				text = strings.ReplaceAll(text, added, "")
			}
			for _, line := range c.shown {
				if strings.Contains(text, Words(line)) {
					continue
				}
				if !last && strings.HasPrefix(line, "note: ") {
					return false
				}
				t.Errorf("$ %s\nthe output does not hold %q:\n%s", c.line, line, out)
			}
			return true
		})
	}
}

// Words returns a text with single blanks between its words, since columns are as wide as their contents.
func Words(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shorter returns flags that make a command measure for a shorter time than the page shows, whose figures are none of the
// test's business. In the small size, one that stands behind the page's own flag replaces it.
func Shorter(words []string) []string {
	large := testsize.Large()
	short, launches := []string{"--min-time", "2ms", "--max-time", "20ms"}, []string{"--launches", "2"}
	if large {
		short, launches = []string{"--min-time", "10ms", "--max-time", "100ms"}, nil
	}
	switch {
	case slices.Contains(words, "--dry-run"), large && slices.Contains(words, "--max-time"):
		return nil
	case words[0] == "sweep" && slices.Contains(words, "--launches"): // pairs of launches are compared
		return []string{"--max-time", "20ms", "--launches", "2"}
	case words[0] == "sweep":
		return []string{"--max-time", "20ms", "--launches", "1"}
	case words[0] == "bench" && slices.Contains(words, "--loop-count"):
		return []string{"--repetitions", "2"}
	case words[0] == "bench":
		return []string{"--loop-count", "2", "--repetitions", "2"}
	case words[0] == "tune":
		return append(short[:2:2], "--most", "4")
	case words[0] == "run", words[0] == "hat" && words[1] != "init":
		return append(short, launches...)
	case !large && slices.Contains(words, "--max-time"): // of halide run and compare
		return []string{"--max-time", "100ms"}
	}
	return nil
}

// SoonDone makes a line that begins with a verb measure for a shorter time, unless it says for how long.
func SoonDone(line string) string {
	words := strings.Fields(line)
	return strings.Join(slices.Concat(words[:1], Shorter(words), []string{strings.TrimPrefix(line, words[0])}), " ")
}
