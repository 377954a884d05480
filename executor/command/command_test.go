//go:build unix

package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/invocations"
)

// prepared returns the call of a line that sh runs.
func prepared(t *testing.T, line string, options map[string]string, change ...func(*invocations.Invocation)) *executor.Call {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	inv := &invocations.Invocation{
		Artifact: invocations.Artifact{Path: shell, Options: options}, Function: invocations.CommandFunction,
		Command: []string{"sh", "-c", line}, Folder: t.TempDir(), Measure: invocations.Measure{Mode: invocations.Warm},
	}
	for _, one := range change {
		one(inv)
	}
	p, err := Runtime{}.Load(inv.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.Prepare(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(call.Close)
	return call
}

// What a call took is what its processes took, and nothing of this process.
func TestUsed(t *testing.T) {
	u, err := prepared(t, "sleep 0.05", nil).Work.(*executor.Process).Run()
	if err != nil || u.WallNS < 50e6 || u.Switches == 0 {
		t.Errorf("asleep: %+v, error %v", u, err)
	}
	u, err = prepared(t, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", nil).Work.(*executor.Process).Run()
	if err != nil || u.UserNS+u.SystemNS < 1e6 || u.Faults == 0 {
		t.Errorf("at work: %+v, error %v", u, err)
	}
	if !u.PeakHidden || u.PeakBytes != ownPeak() {
		t.Errorf("a shell took %d bytes, hidden %v; this process %d", u.PeakBytes, u.PeakHidden, ownPeak())
	}
	// The children of the shell count. This process inherits the peak of the program that started it, such as go test.
	size := ownPeak() + 100_000_000
	line := fmt.Sprintf("head -c %d /dev/zero | tail -c %d | cat >/dev/null", size+100_000_000, size)
	u, err = prepared(t, line, nil).Work.(*executor.Process).Run()
	if err != nil || u.PeakHidden || u.PeakBytes < size || u.PeakBytes > 2*size {
		t.Errorf("a child with %d bytes: %+v, error %v", size, u, err)
	}
}

// A call that fails ends the measurement with the program's last words, and no words of an earlier call.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"exit 3", "the command exited with status 3, and wrote nothing to standard error; --ignore-failure times it " +
			"nevertheless"},
		{"echo one >&2; echo; echo two >&2; exit 1", "the command exited with status 1: one; two"},
		{"for i in 1 2 3 4 5 6 7; do echo $i >&2; done; exit 1", "the command exited with status 1: 3; 4; 5; 6; 7"},
		{"printf 'a\\033[2Jb' >&2; kill -SEGV $$", "the command was ended by SIGSEGV: a\ufffd[2Jb"},
		{"head -c 300000 /dev/zero >&2; echo; echo end >&2; exit 1", "end"},
		{"sleep 30 >/dev/null & echo left a child >&2; exit 9", "the command exited with status 9: left a child"},
	} {
		call := prepared(t, c.line, nil)
		begin := time.Now()
		_, err := call.Work.(*executor.Process).Run()
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.line, err, c.want)
		}
		if time.Since(begin) > 20*time.Second {
			t.Errorf("%s: it waited for more than the command", c.line)
		}
	}
	turns := prepared(t, "if [ -e again ]; then exit 1; fi; echo first >&2; touch again", nil)
	if _, err := turns.Work.(*executor.Process).Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := turns.Work.(*executor.Process).Run(); err == nil || strings.Contains(err.Error(), "first") {
		t.Errorf("error %v", err)
	}
}

func TestIgnoreFailure(t *testing.T) {
	call := prepared(t, "if [ -e again ]; then kill -TERM $$; fi; touch again; exit 3",
		map[string]string{optionIgnore: "true"})
	for range 3 {
		if _, err := call.Work.(*executor.Process).Run(); err != nil {
			t.Fatal(err)
		}
	}
	if got := call.Properties[propertyExits]; got != "3: 1, SIGTERM: 2" {
		t.Errorf("exit statuses %q", got)
	}
}

// The line of --prepare runs before each call, that of --setup once, both in the folder of the command and untimed.
func TestPrepareAndSetup(t *testing.T) {
	var folder string
	call := prepared(t, "test $(wc -l <prepared) = $(cat calls | wc -l) || exit 7; echo >>calls",
		map[string]string{optionPrepare: "sleep 0.1; echo >>prepared", optionSetup: "echo >>setup"},
		func(inv *invocations.Invocation) {
			folder = inv.Folder
			if err := os.WriteFile(filepath.Join(folder, "calls"), []byte("\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	var phases []string
	if _, err := call.Verify(func(phase string) { phases = append(phases, phase) }); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		begin := time.Now()
		u, err := call.Work.(*executor.Process).Run()
		if err != nil {
			t.Fatal(err)
		}
		if untimed := time.Since(begin) - time.Duration(u.WallNS); untimed < 100*time.Millisecond {
			t.Errorf("only %v were not timed, so that the time of --prepare counts", untimed)
		}
	}
	setup, err := os.ReadFile(filepath.Join(folder, "setup"))
	if string(setup) != "\n" || err != nil || strings.Join(phases, " ") != "setup" {
		t.Errorf("setup %q, phases %q, error %v", setup, phases, err)
	}
}

func TestPrepareFails(t *testing.T) {
	call := prepared(t, "touch ran", map[string]string{optionPrepare: "echo no luck >&2; exit 4"})
	_, err := call.Work.(*executor.Process).Run()
	if want := `--prepare "echo no luck >&2; exit 4": exit status 4: no luck`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	call = prepared(t, "touch ran", map[string]string{optionSetup: "exit 4"})
	if _, err := call.Verify(func(string) {}); err == nil || err.Error() != `--setup "exit 4": exit status 4` {
		t.Errorf("error %v", err)
	}
}

// A check makes one call, though nothing is timed.
func TestCheck(t *testing.T) {
	call := prepared(t, "exit 5", nil, func(inv *invocations.Invocation) { inv.Measure.CheckOnly = true })
	if _, err := call.Verify(func(string) {}); err == nil || !strings.Contains(err.Error(), "status 5") {
		t.Errorf("error %v", err)
	}
}

// With a shell, the words of the command are one line.
func TestShell(t *testing.T) {
	call := prepared(t, "", map[string]string{OptionShell: "sh"}, func(inv *invocations.Invocation) {
		inv.Command = []string{"echo", "$((6*7))", ">answer;", "exit", "$(cat", "answer)"}
	})
	if _, err := call.Work.(*executor.Process).Run(); err == nil || !strings.Contains(err.Error(), "status 42") {
		t.Errorf("error %v", err)
	}
}

func TestRefused(t *testing.T) {
	for options, want := range map[string]string{
		"ignore-failure=7": "option ignore-failure=7: want true or false",
		"stdout=x":         "option stdout=x: want null or pipe",
	} {
		key, value, _ := strings.Cut(options, "=")
		given := map[string]string{key: value}
		if _, err := (Runtime{}).Load(invocations.Artifact{Path: "p", Options: given}); err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", options, err, want)
		}
		if _, err := (Runtime{}).Describe("p", executor.DescribeOptions{Options: given}); err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", options, err, want)
		}
	}
	p, err := Runtime{}.Load(invocations.Artifact{Path: "/nothing/here"})
	if err != nil {
		t.Fatal(err)
	}
	var unsupported *executor.UnsupportedError
	if _, err := p.Prepare(&invocations.Invocation{}, 1); !errors.As(err, &unsupported) {
		t.Errorf("cold arguments: error %v", err)
	}
	expected := &invocations.Invocation{Verify: invocations.Verification{Expected: []string{"1xf32=1"}}}
	if _, err := p.Prepare(expected, 0); err == nil {
		t.Error("expected outputs of a command are not refused")
	}
	call, err := p.Prepare(&invocations.Invocation{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	if _, err := call.Work.(*executor.Process).Run(); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("a program that is not there: error %v", err)
	}
}
