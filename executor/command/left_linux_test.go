package command

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

// A process that goes on after its command is named, once. One that the setup has started is wanted.
func TestLeftBehind(t *testing.T) {
	var folder string
	in := func(inv *invocations.Invocation) { folder = inv.Folder }
	end := func() { // the process whose number is in the file
		text, err := os.ReadFile(filepath.Join(folder, "pid"))
		pid, numberErr := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || numberErr != nil {
			t.Fatal(err, numberErr)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	left := func(call *executor.Call) (notes []string) {
		for range 2 {
			if _, err := call.Work.(*executor.Process).Run(); err != nil {
				t.Fatal(err)
			}
		}
		return call.Notes[1:] // the first says that commands are not confined
	}
	const start = "sleep 600 >/dev/null 2>&1 & echo $! >pid"
	call := prepared(t, "test -e pid || { "+start+"; }", nil, in)
	if notes := left(call); len(notes) != 1 || !strings.HasSuffix(notes[0], "sleep") {
		t.Errorf("left by the command: %q", notes)
	}
	end()
	call = prepared(t, "true", map[string]string{optionSetup: start}, in)
	if _, err := call.Verify(func(string) {}); err != nil {
		t.Fatal(err)
	}
	if notes := left(call); len(notes) != 0 {
		t.Errorf("left by the setup: %q", notes)
	}
	end()
	if notes := left(prepared(t, "true & wait; (true &)", nil)); len(notes) > 1 {
		t.Errorf("nothing is left: %q", notes)
	}
}

// The standard output is /dev/null, or a pipe that is read.
func TestStandardOutput(t *testing.T) {
	for where, line := range map[string]string{
		"":         "test ! -p /dev/stdout && head -c 300000 /dev/zero",
		stdoutNull: "test ! -p /dev/stdout",
		stdoutPipe: "test -p /dev/stdout && head -c 300000 /dev/zero",
	} {
		if _, err := prepared(t, line, map[string]string{optionStdout: where}).Work.(*executor.Process).Run(); err != nil {
			t.Errorf("%q: %v", where, err)
		}
	}
}
