//go:build unix

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup"
	"zonemark/invocations/environ"
)

// TestCommandsPage runs every command that docs/commands.md shows after "$ ", in order, as lines of a shell, and
// measures its suite.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(e2e.Top(t, "docs", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	iree, noIREE := setup.FindIREE(setup.Options{Variables: environ.Of(e2e.Environment()...)})
	if noIREE != nil && os.Getenv("CI") == "true" {
		t.Fatal(noIREE)
	}
	dir := pageFolder(t)
	path := filepath.Join(dir, "bin")
	if noIREE == nil { // the Tracy build of the tools, as a user has it on PATH
		path += ":" + filepath.Join(iree.Site, "iree", "_runtime_libs_tracy")
	}
	_, rest, _ := strings.Cut(string(text), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	if err := os.WriteFile(filepath.Join(dir, "page.toml"), []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := []string{"run --launches 2 --max-time 50ms page.toml"}
	for line := range strings.Lines(string(text)) {
		if line, isCommand := strings.CutPrefix(line, "$ zonemark "); isCommand {
			lines = append(lines, e2e.SoonDone(line))
		}
	}
	if len(lines) < 9 {
		t.Errorf("the page shows %d commands", len(lines)-1)
	}
	for _, line := range lines {
		if noIREE != nil && strings.HasPrefix(line, "trace") {
			continue
		}
		cmd := exec.Command("sh", "-c", "exec zonemark "+line)
		cmd.Dir = dir
		cmd.Env = append(e2e.Environment(), "ZONEMARK_HOME="+e2e.Cache(t), "PATH="+path+":"+os.Getenv("PATH"))
		if noIREE == nil {
			cmd.Env = append(cmd.Env, iree.Environment()...)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s%v\n%s", line, err, out)
		}
	}
}

// pageFolder returns a folder with the files that the page's commands read, and zonemark in its folder bin.
func pageFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	module := e2e.Top(t, "executor", "iree", "testdata", "mlp.vmfb")
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"bin/zonemark": e2e.Program(t), "mlp.vmfb": module} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	words := strings.Repeat("a model\nof a word\n", 1000)
	if err := os.WriteFile(filepath.Join(dir, "words.txt"), []byte(words), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
