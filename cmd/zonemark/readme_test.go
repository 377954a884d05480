package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme runs every command that the README shows behind "$ ", in its order, from a folder that looks like the top of the repository.
func TestReadme(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, room := range []string{"cmd", "trace"} {
		if err := os.Symlink(filepath.Join(top, room), filepath.Join(dir, room)); err != nil {
			t.Fatal(err)
		}
	}
	shown := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line) // no argument has a blank in it
		for i := range words {
			words[i] = strings.Trim(words[i], "'")
		}
		if len(words) < 3 || words[0] != "$" || words[1] != "zonemark" {
			continue
		}
		shown++
		cmd := command(t, words[2:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s%v\n%s", line, err, out)
		}
		if words[2] == "run" && len(words) == 3 && !strings.Contains(string(out), "matmul_rows4") {
			t.Errorf("the example prints no ranking:\n%s", out)
		}
	}
	if shown < 5 {
		t.Errorf("the README shows %d commands", shown)
	}
}
