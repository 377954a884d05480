package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/environ"
	"zonemark/driver/setup"
	"zonemark/executor/tt"
)

// ofIREE reports whether a word of a command needs IREE: a source, or the capture that was made of one.
func ofIREE(word string) bool { return strings.HasSuffix(word, ".mlir") || word == "mlp.tracy" }

// shorter returns flags that make a command measure for a shorter time than the README shows, whose figures are none of
// the test's business.
func shorter(words []string) []string {
	if words[0] != "run" && words[0] != "hat" || slices.ContainsFunc(words, func(word string) bool {
		return word == "--max-time" || word == "--dry-run"
	}) {
		return nil
	}
	return []string{"--min-time", "10ms", "--max-time", "100ms"}
}

// TestReadme runs every command that the README shows after "$ ", in order, in a folder that looks like the top of the
// repository.
func TestReadme(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, room := range []string{"cmd", "executor", "trace"} {
		if err := os.Symlink(filepath.Join(top, room), filepath.Join(dir, room)); err != nil {
			t.Fatal(err)
		}
	}
	iree, noIREE := setup.FindIREE(setup.Options{Variables: environ.OfProcess()})
	if noIREE != nil && os.Getenv("CI") == "true" {
		t.Fatal(noIREE)
	}
	cpu, noCPU := setup.FindPJRTCPU(setup.Options{Variables: environ.OfProcess()})
	if noCPU != nil && os.Getenv("CI") == "true" {
		t.Fatal(noCPU)
	}
	models, noModels := setup.FindModels(setup.Options{Variables: environ.OfProcess()})
	if noModels != nil && os.Getenv("CI") == "true" {
		t.Fatal(noModels)
	}
	halide, noHalide := setup.FindHalide(setup.Options{Variables: environ.OfProcess()})
	if noHalide != nil && os.Getenv("CI") == "true" {
		t.Fatal(noHalide)
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
		if noCPU != nil && slices.Contains(words, tt.Name) {
			continue
		}
		if words[2] == "bench" && (noModels != nil || noCPU != nil) {
			continue
		}
		if noIREE != nil && slices.ContainsFunc(words, ofIREE) {
			continue
		}
		if words[2] == "halide" && noHalide != nil {
			continue
		}
		cmd := command(t, slices.Concat(words[2:], shorter(words[2:]))...)
		cmd.Dir = dir
		if noIREE == nil {
			cmd.Env = append(cmd.Env, iree.Environment()...)
		}
		if noHalide == nil {
			cmd.Env = append(cmd.Env, halide.Environment()...)
		}
		if noCPU == nil {
			cmd.Env = append(cmd.Env, setup.PJRTCPUVariable+"="+cpu)
		}
		if noModels == nil {
			cmd.Env = append(cmd.Env, setup.ModelsPythonVariable+"="+models.Interpreter)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s%v\n%s", line, err, out)
		}
		if words[2] == "run" && slices.Contains(words, "-t") &&
			!strings.Contains(string(out), "mlp_dispatch_1_matmul_64x128x512_f32") {
			t.Errorf("the example prints no dispatches:\n%s", out)
		}
	}
	if shown < 5 {
		t.Errorf("the README shows %d commands", shown)
	}
}
