//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"zonemark/executor/sandbox/signals"
)

// inRole returns this binary in a role, not started.
func inRole(t *testing.T, role string, s spec, environment ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), environment...), roleVariable+"="+role, specVariable+"="+string(text))
	return cmd
}

// TestEnterNetworkRefuses checks that a process whose order says that its network is private, although it is not, does
// not open the network to its children.
func TestEnterNetworkRefuses(t *testing.T) {
	own := namespaceLinks()[LayerNet]
	for name, c := range map[string]struct{ order, want string }{
		"the network outside": {
			fmt.Sprintf(`{"ParentPID":%d,"Outside":%q}`, os.Getpid(), own), "lives in its parent's net namespace",
		},
		"no link text":   {fmt.Sprintf(`{"ParentPID":%d,"Outside":"x"}`, os.Getpid()), "is not known"},
		"another parent": {`{"ParentPID":1,"Outside":"net:[1]"}`, "and not 1 that ordered the network"},
		"half an order":  {`{"ParentPID":`, networkVariable},
	} {
		cmd := inRole(t, "network", spec{}, networkVariable+"="+c.order)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: %v, %q; want %q", name, err, &stderr, c.want)
		}
	}
}

// TestConfigureNetworkWithout checks that without network namespaces the process gets no network of its own and still
// dies with its parent.
func TestConfigureNetworkWithout(t *testing.T) {
	cmd := exec.Command("program")
	if err := ConfigureNetwork(cmd, Support{}); err != nil {
		t.Fatal(err)
	}
	if a := cmd.SysProcAttr; a.Cloneflags != 0 || a.Pdeathsig != syscall.SIGKILL || !a.Setpgid {
		t.Errorf("attributes %+v", a)
	}
}

func TestEndBySignal(t *testing.T) {
	for _, want := range append(signals.Ending(), syscall.SIGKILL, syscall.SIGPIPE) {
		cmd := inRole(t, "signal", spec{Signal: int(want)})
		out, _ := cmd.CombinedOutput()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != want || status.CoreDump() || len(out) > 0 {
			t.Errorf("%v: status %#x, %q", want, int(status), out)
		}
	}
	cmd := inRole(t, "signal", spec{Signal: int(syscall.SIGCHLD)})
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "does not end a process") {
		t.Errorf("SIGCHLD: %v, %q", err, out)
	}
}
