package hosting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/watching"
	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
	"zonemark/invocations/race"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/wire"
	"zonemark/trace"
	"zonemark/trace/capture"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// privateNetwork returns the support of the machine. It skips the test, or fails it in CI, if there are no network
// namespaces.
func privateNetwork(t *testing.T) sandbox.Support {
	t.Helper()
	s := sandbox.Probe()
	if !s.Has(sandbox.LayerNet) {
		testneeds.Missing(t, errors.New("no network namespaces here: "+s.Missing[sandbox.LayerNet]))
	}
	return s
}

// hostedGenerator returns the path of the generator, for tests that can run it under a trace host.
func hostedGenerator(t *testing.T) string {
	t.Helper()
	privateNetwork(t)
	tracySite(t)
	return buildGenerator(t)
}

// emitting returns a starter of generators that emit a scenario through the real client, sandboxed, under the real
// tool, in private networks.
func emitting(t *testing.T, generator string, scenario ...string) *Tracer {
	t.Helper()
	support := privateNetwork(t)
	site := tracySite(t)
	return tracing(t, hostOfTests, sandbox.Auto, support, CaptureOptions{
		Output: filepath.Join(t.TempDir(), "out.tracy"), Sites: []string{site},
		Environment: client(t, append([]string{generator, "-emit", "-site", site}, scenario...)...),
	})
}

// checkCapture checks that a capture is whole and holds so many zones.
func checkCapture(t *testing.T, r Capture, zones int) {
	t.Helper()
	if r.Error != "" || r.Partial || !r.Private || r.Notice != "" || len(r.Warnings) > 0 || r.Bytes == 0 {
		t.Errorf("capture %+v", r)
	}
	if got := countZones(t, r.Path); got != zones {
		t.Errorf("%s: %d zones, %d were emitted", r.Path, got, zones)
	}
}

// zonesOfInvocations is the number of zones of the scenario invocations: six times a bracket, two nested zones, four
// of workers, two waits with a dispatch each, and a stray one.
const zonesOfInvocations = 6 * 12

// Two executors at once serve on the same port, each with a capture of its own that holds none of the other's zones.
func TestCapturedHostsShareAPort(t *testing.T) {
	generator := hostedGenerator(t)
	zones := 20_000
	if race.Enabled {
		zones = 4000 // one goroutine reads them
	}
	few := emitting(t, generator, "load", "-zones", fmt.Sprint(zones))
	many := emitting(t, generator, "load", "-zones", fmt.Sprint(3*zones))
	processes := []*executors.Process{start(t, few), start(t, many), start(t, few)}
	for _, p := range processes {
		if exit := p.Wait(); exit.Code != 0 || exit.Signal != "" {
			t.Errorf("an executor ended with %+v", exit)
		}
	}
	first, second := few.Captures(), many.Captures()
	if len(first) != 2 || len(second) != 1 {
		t.Fatalf("%d and %d captures", len(first), len(second))
	}
	for _, r := range append(slices.Clone(first), second...) {
		if r.Port != tracyPort {
			t.Errorf("%s: port %d", r.Path, r.Port)
		}
	}
	checkCapture(t, first[0], zones)
	checkCapture(t, first[1], zones)
	checkCapture(t, second[0], 3*zones)
	if base := filepath.Base(first[1].Path); base != "out-2.tracy" {
		t.Errorf("the second capture is %s", base)
	}
}

// descendants returns the processes below one, the executor last.
func descendants(t *testing.T, pid int) (pids []int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // a thread may end in between
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(append(pids, child), descendants(t, child)...)
		}
	}
	return pids
}

// listener finds the process below a host that listens on a port in its network; 0 if there is none yet.
func listener(t *testing.T, host, port int) int {
	t.Helper()
	// proc_net_tcp: local port, no remote one, state TCP_LISTEN
	listening := fmt.Sprintf(":%04X 00000000:0000 0A ", port)
	for _, pid := range descendants(t, host) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
		if strings.Contains(string(line), "-emit") && strings.Contains(string(table), listening) {
			return pid
		}
	}
	return 0
}

// While a client serves on a port of its private network, nobody answers on it outside of that network, at any address
// of the machine. Killing it keeps the capture.
func TestCapturedHostIsNotReachable(t *testing.T) {
	s := emitting(t, hostedGenerator(t), "hold")
	l, err := net.Listen("tcp4", "127.0.0.1:0") // a port that is free outside of the private network
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	p := start(t, s)
	host := s.starting.Process.Pid
	waitFor(t, "the client", 20*time.Second, func() bool { return listener(t, host, s.port) != 0 })
	addresses := []string{"127.0.0.1", "::1"}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			addresses = append(addresses, n.IP.String())
		}
	}
	for _, a := range addresses {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(a, strconv.Itoa(s.port)), 5*time.Second)
		if err == nil {
			conn.Close()
			t.Errorf("port %d answers at %s", s.port, a)
		} else if a == "127.0.0.1" && !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v instead of a refusal", a, err)
		}
	}
	if listener(t, host, s.port) == 0 {
		t.Error("the client does not serve any more")
	}
	waitFor(t, "the capture of all zones", 20*time.Second, func() bool {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", listener(t, host, s.port)))
		return string(name) == "held\n" // see tracegen
	})
	p.Kill()
	if exit := p.Wait(); exit.Signal != "SIGKILL" {
		t.Errorf("it ended with %+v", exit)
	}
	checkCrashed(t, s, "SIGKILL")
}

// checkCrashed checks the one capture of a client that was ended by a signal after it had sent everything.
func checkCrashed(t *testing.T, s *Tracer, signal string) {
	t.Helper()
	got := s.Captures()
	if len(got) != 1 || got[0].Error != "" || !got[0].Partial || !got[0].Private ||
		!strings.Contains(strings.Join(got[0].Warnings, "\n"), "ended by "+signal) {
		t.Fatalf("captures %+v", got)
	}
	f, err := trace.Open(got[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zones := 0
	for _, err := range f.Zones() {
		if err != nil {
			t.Fatal(err)
		}
		zones++
	}
	if zones != zonesOfInvocations {
		t.Errorf("%d zones, %d were emitted", zones, zonesOfInvocations)
	}
}

// The capture holds what a client had sent before it crashed, and the driver learns how the client ended. When a
// capture connects, Tracy installs its own handler for such signals, which sends the rest and then aborts.
func TestCapturedCrash(t *testing.T) {
	s := emitting(t, hostedGenerator(t), "crash")
	exit := start(t, s).Wait()
	if exit.Signal != "SIGSEGV" && exit.Signal != "SIGABRT" || exit.Code != 0 || exit.MaxRSSBytes == 0 {
		t.Errorf("it ended with %+v", exit)
	}
	checkCrashed(t, s, exit.Signal)
}

// When a driver is killed, its trace host, executor and capture tool end, too.
func TestCapturedHostDiesWithItsDriver(t *testing.T) {
	generator, site := hostedGenerator(t), tracySite(t)
	o := CaptureOptions{Output: filepath.Join(t.TempDir(), "out.tracy"), Sites: []string{site},
		Environment: client(t, generator, "-emit", "-site", site, "hold")}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(t)
	cmd.Env = append(cmd.Env, driverVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
	})
	pid := cmd.Process.Pid
	waitFor(t, "the client", 20*time.Second, func() bool { return listener(t, pid, tracyPort) != 0 })
	below := descendants(t, pid)
	if len(below) != 3 {
		t.Errorf("%d processes below the driver instead of host, capture tool and client", len(below))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	for _, child := range below {
		waitFor(t, fmt.Sprintf("the end of process %d", child), 10*time.Second, func() bool { return gone(child) })
	}
}

// A measuring executor beside its capture tool has every layer of the sandbox that an executor by itself has.
func TestTracedExecutorIsConfined(t *testing.T) {
	support := privateNetwork(t)
	s := tracing(t, "zonemark", sandbox.Auto, support, CaptureOptions{Output: filepath.Join(t.TempDir(), "out.tracy"),
		Tool: shellTool(t, `echo "$port" >"$output"`)})
	p := start(t, s)
	h := hello(t, p)
	if exit := p.Wait(); exit.Code != 0 || exit.Signal != "" {
		t.Errorf("it ended with %+v", exit)
	}
	var want []string
	for _, l := range support.Only(sandbox.Plain).Layers {
		want = append(want, string(l))
	}
	if diff := cmp.Diff(want, h.Layers); diff != "" {
		t.Errorf("layers (-want +got):\n%s%v", diff, h.MissingLayers)
	}
	if got := s.Captures(); len(got) != 1 || !got[0].Private || got[0].Error != "" || got[0].Port != tracyPort {
		t.Errorf("captures %+v", got)
	}
}

// A capture tool that does not end by itself is ended, and so is a host that does not answer; both are reported.
func TestTraceHangs(t *testing.T) {
	for _, c := range []struct {
		name, tool, want string
		stop             bool // the host
	}{
		{"the tool", `trap '' INT; exec sleep 600`, "still running", false},
		{"the host", `echo x >"$output"`, "was killed before it had said", true},
	} {
		s := tracing(t, hostOfTests, sandbox.Auto, sandbox.Probe(), CaptureOptions{
			Output: filepath.Join(t.TempDir(), "out.tracy"), Tool: shellTool(t, c.tool), Environment: client(t, "sleep",
				"600")})
		s.grace = 100 * time.Millisecond
		p := start(t, s)
		host := s.starting.Process
		waitFor(t, "the client", 20*time.Second, func() bool {
			return slices.ContainsFunc(descendants(t, host.Pid), func(pid int) bool {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				return bytes.HasPrefix(line, []byte("sleep\x00"))
			})
		})
		if c.stop {
			if err := host.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		below := descendants(t, host.Pid)
		p.Kill()
		p.Kill() // does nothing more
		if exit := p.Wait(); exit.Signal != "SIGKILL" {
			t.Errorf("%s hangs: it ended with %+v", c.name, exit)
		}
		for _, child := range below {
			waitFor(t, fmt.Sprintf("the end of process %d", child), 10*time.Second, func() bool { return gone(child) })
		}
		if got := s.Captures(); len(got) != 1 || !strings.Contains(got[0].Error, c.want) {
			t.Errorf("%s hangs: captures %+v, want %q", c.name, got, c.want)
		}
	}
}

// When a capture reaches its limit, the executor goes on measuring without it.
func TestTraceLimit(t *testing.T) {
	output := filepath.Join(t.TempDir(), "out.tracy")
	tool := shellTool(t, `trap 'echo x >"$output"; exit 0' INT; while :; do sleep 0.02; done`)
	s := tracing(t, "zonemark", sandbox.Auto, sandbox.Probe(), CaptureOptions{Output: output, Tool: tool,
		MaxDuration: 500 * time.Millisecond})
	p := start(t, s)
	waitFor(t, "the capture", 20*time.Second, func() bool {
		_, err := os.Stat(capture.Unfinished(output))
		return err == nil
	})
	hello(t, p)
	if exit := p.Wait(); exit.Code != 0 || exit.Signal != "" {
		t.Errorf("the executor ended with %+v", exit)
	}
	if got := s.Captures(); len(got) != 1 || got[0].Error != "" || !got[0].Partial ||
		!strings.Contains(strings.Join(got[0].Warnings, "\n"), "limit of 500ms") {
		t.Errorf("captures %+v", got)
	}
}

// An executor in a trace host has the limits of memory and threads that others have. The driver learns which one it
// exceeded.
func TestTraceHostHoldsLimits(t *testing.T) {
	support := privateNetwork(t)
	for _, c := range []struct {
		name   string
		limit  func(o *Options)
		exceed func(t *testing.T, scratch string) // what the executor itself does not
		want   executors.Exceeded                 // with the least that it used
	}{
		// A program in Go has several threads before it does anything.
		{"threads", func(o *Options) { o.Threads = 1 }, nil,
			executors.Exceeded{Limit: executors.LimitThreads, Used: 2, Allowed: 1}},
		{"memory", func(o *Options) { o.MemoryBytes = sandbox.LeastMemoryBytes }, takeDisk,
			executors.Exceeded{Limit: executors.LimitMemory, Used: sandbox.LeastMemoryBytes + 1, Allowed: sandbox.LeastMemoryBytes}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tracing(t, "zonemark", sandbox.Auto, support, CaptureOptions{
				Output: filepath.Join(t.TempDir(), "out.tracy"), Tool: shellTool(t, `echo "$port" >"$output"`),
			})
			c.limit(&s.options)
			p := start(t, s)
			conn := wire.NewConn(p.From, p.To)
			_ = conn.Send(&wire.Hello{Protocol: wire.Protocol, Build: cli.Version()}) // it may have been killed already
			if c.exceed != nil {
				if _, err := conn.Receive(); err != nil {
					t.Fatal(err)
				}
				c.exceed(t, s.options.Scratch)
			}
			exit := p.Wait()
			got := exit.Exceeded
			if exit.Signal != "SIGKILL" || got.Limit != c.want.Limit || got.Used < c.want.Used || got.Allowed != c.want.Allowed {
				t.Errorf("it ended with %+v, want %+v", exit, c.want)
			}
		})
	}
}

// takeDisk makes a file that is larger than the least memory limit, without writing it.
func takeDisk(t *testing.T, folder string) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, "large"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fallocate(int(f.Fd()), 0, 0, sandbox.LeastMemoryBytes+1<<20); err != nil {
		t.Fatal(err)
	}
}

// The host writes its document and then ends like its executor, with the same code or by the same signal.
func TestTraceHostEndsAsItsExecutor(t *testing.T) {
	for script, want := range map[string]string{
		"exit 0": "exit status 0", "exit 91": "exit status 91", "kill -SEGV $$": "signal: segmentation fault",
		"kill -ABRT $$": "signal: aborted",
		"kill -KILL $$": "signal: killed", "kill -TERM $$": "signal: terminated",
	} {
		cmd := command(t, "executor", "--role=trace", "--sandbox=off",
			"--capture-tool="+shellTool(t, `echo x >"$output"`), "--capture-output="+filepath.Join(t.TempDir(),
				"out.tracy"))
		cmd.Env = append(cmd.Env, client(t, "/bin/sh", "-c", script)...)
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		cmd.ExtraFiles = []*os.File{null, null, write}
		err = cmd.Start()
		write.Close()
		if err != nil {
			t.Fatal(err)
		}
		r, err := readCapture(read)
		if err != nil || r.Exit == nil || r.Bytes != 2 {
			t.Errorf("%s: %+v, %v", script, r, err)
		}
		_ = cmd.Wait() // judged by its state
		if got := cmd.ProcessState.String(); got != want || cmd.ProcessState.Sys().(syscall.WaitStatus).CoreDump() {
			t.Errorf("%s: the host ended with %q instead of %q", script, got, want)
		}
	}
}

// A trace host whose executor or capture tool is stopped counts as stopped.
func TestTraceHostStopped(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		t.Skip("this system does not tell of children: ", err)
	}
	s := tracing(t, "zonemark", sandbox.Auto, sandbox.Probe(), CaptureOptions{
		Output: filepath.Join(t.TempDir(), "out.tracy"), Tool: shellTool(t, "exec sleep 1000"),
	})
	p := start(t, s)
	host := s.starting.Process.Pid
	// The host's first children are those with which it finds out what the sandbox can do. They end at once.
	for deadline := time.Now().Add(time.Minute); p.Stopped() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the stop is not seen")
		}
		for _, child := range watching.Children(host) {
			if err := syscall.Kill(child, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		}
	}
}
