package doctoring

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/doctor"
)

// asDoctor is the environment variable that makes the test binary the verb itself: "plain", or "without perf".
const asDoctor = "ZONEMARK_TEST_DOCTOR"

// findings returns what doctor says in a process of its own, by subject.
func findings(t *testing.T, how string) map[string]doctor.Finding {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAsDoctor$")
	cmd.Env = append(os.Environ(), asDoctor+"="+how)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	by := map[string]doctor.Finding{}
	for line := range strings.Lines(string(out)) {
		var f doctor.Finding
		if !strings.HasPrefix(line, "{") { // of package testing
			continue
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		by[f.Subject] = f
	}
	return by
}

// TestAsDoctor is the process of findings.
func TestAsDoctor(t *testing.T) {
	how := os.Getenv(asDoctor)
	if how == "" {
		t.Skip("other tests start this one")
	}
	if how == "without perf" {
		refusePerf(t)
	}
	p, out, errs := made(t)
	status := Run(t.Context(), p, []string{"--time", "0", "--watch", "500ms", "--format", "ndjson"})
	if status != cli.ExitOK {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	fmt.Println(out)
}

// refusePerf has the kernel refuse perf_event_open to this process, as the filters of containers do.
func refusePerf(t *testing.T) {
	runtime.LockOSThread()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_PERF_EVENT_OPEN, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // for the other threads, the flag does it
		t.Fatal(err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		t.Fatal(errno)
	}
}

// TestCompetitor: a loop that loads a CPU is named, with its number and its share, until it is gone.
func TestCompetitor(t *testing.T) {
	const attempts = 40 // other work on this machine may be more than the loop
	loop := exec.Command("sh", "-c", "while :; do :; done")
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("sh (pid %d) ", loop.Process.Pid)
	stop := func() {
		_ = loop.Process.Kill() // it may be gone
		_ = loop.Wait()         // the signal that ended it
	}
	defer stop()
	var f doctor.Finding
	for range attempts {
		if f = findings(t, "plain")["load"]; strings.Contains(f.Found, name) && f.Grade == doctor.Disturbs {
			break
		}
	}
	if !strings.Contains(f.Found, name) || f.Grade != doctor.Disturbs || !strings.Contains(f.Evidence, "/proc/PID/stat") ||
		!strings.Contains(f.Remedy, "stop them") {
		t.Errorf("with %s: %+v", name, f)
	}
	stop()
	if f := findings(t, "plain")["load"]; strings.Contains(f.Found, name) {
		t.Errorf("%s is gone: %+v", name, f)
	}
}

// TestWithoutPerf: in a container whose filter refuses perf events, doctor says what refuses them and what allows them.
func TestWithoutPerf(t *testing.T) {
	f := findings(t, "without perf")["counters"]
	if f.Grade != doctor.MayMove || !strings.HasPrefix(f.Found, "none: ") || f.Evidence == "" || f.Remedy == "" {
		t.Errorf("%+v", f)
	}
	level, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err == nil && strings.TrimSpace(string(level)) > "2" {
		return // then this is said
	}
	if !strings.Contains(f.Found, "seccomp filter") || !strings.Contains(f.Remedy, "PERFMON") {
		t.Errorf("%+v", f)
	}
}
