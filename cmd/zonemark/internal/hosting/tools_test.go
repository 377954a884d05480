package hosting

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/sandbox"
)

// startedTool returns a command of a tool starter of this binary as zonemark.
func startedTool(t *testing.T, mode sandbox.Mode, folder string, words ...string) *executor.Tool {
	t.Helper()
	start, _, err := toolStarter(string(mode), 0, 0, reading{})
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := start(context.Background(), folder, words[0], words[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		cmd.Args[0] = "zonemark" // see TestMain
	}
	return cmd
}

// A tool is confined like native code: it can write only below its folder, and cannot start processes.
func TestToolsAreConfined(t *testing.T) {
	support := sandbox.Probe()
	for _, l := range []sandbox.Layer{sandbox.LayerMount, sandbox.LayerSeccomp} {
		if !support.Has(l) {
			if os.Getenv("CI") == "true" && runtime.GOOS == "linux" {
				t.Fatalf("no %s here: %s", l, support.Missing[l])
			}
			t.Skipf("no %s here: %s", l, support.Missing[l])
		}
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "new")
	// all but the last line are commands that the shell itself carries out
	const script = `pwd
while read -r key value; do [ "$key" = Seccomp: ] && echo "seccomp $value"; done < /proc/$$/status
echo in > inside
{ echo out > "$0"; } 2> /dev/null || echo refused
/bin/true; echo started`
	cmd := startedTool(t, sandbox.Auto, folder, shell, "-c", script, outside)
	out, err := cmd.CombinedOutput()
	text := string(out)
	if _, missing := os.Stat(outside); missing == nil {
		t.Error("it wrote outside of its folder")
	}
	if !strings.HasPrefix(text, folder+"\nseccomp 2\nrefused\n") || strings.Contains(text, "started") {
		t.Errorf("%v\n%s", err, text)
	}
	if data, err := os.ReadFile(filepath.Join(folder, "inside")); err != nil || string(data) != "in\n" {
		t.Errorf("in its folder it wrote %q, error %v", data, err)
	}
}

// A tool that takes more memory than it may is killed, and the error is the one of native code in an executor.
func TestToolsAreWatched(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits are watched on Linux only")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	start, _, err := toolStarter(string(sandbox.Auto), sandbox.LeastMemoryBytes, 0, reading{})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := start(t.Context(), t.TempDir(), shell, "-c", "x=01234567; while :; do x=$x$x; done")
	if err != nil {
		t.Fatal(err)
	}
	tool.Args[0] = "zonemark" // see TestMain
	err = tool.Run()
	var killed *executor.KilledError
	const want = " and 256 MiB are allowed; killed in a tool"
	if !errors.As(err, &killed) || !killed.Memory || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

func TestToolsThatCannotStart(t *testing.T) {
	if _, _, err := toolStarter("loose", 0, 0, reading{}); err == nil || !strings.Contains(err.Error(), "loose") {
		t.Errorf("a mode that there is not: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "none")
	cmd := startedTool(t, sandbox.Off, t.TempDir(), missing)
	if out, err := cmd.CombinedOutput(); err == nil || runtime.GOOS != "windows" &&
		!strings.Contains(string(out), missing) {
		t.Errorf("a tool that is not there: %v, %s", err, out)
	}
	if err := becomeTool(nil); err == nil || !strings.Contains(err.Error(), "no program") {
		t.Errorf("no tool: %v", err)
	}
}
