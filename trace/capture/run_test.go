//go:build !windows

package capture

import (
	"context"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// captureTool writes a stand-in for a capture tool: a shell script in which $output, $address and $port are what the
// real one is told.
func captureTool(t *testing.T, script string) string {
	t.Helper()
	// A shell cannot trap an interrupt that the test inherited as ignored; once it is handled here, children start with
	// the default.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	t.Cleanup(func() { signal.Stop(interrupts) })
	path := filepath.Join(t.TempDir(), "capture")
	head := "#!/bin/sh\nwhile getopts fo:a:p: o; do case $o in o) output=$OPTARG;; a) address=$OPTARG;; p) " +
		"port=$OPTARG;; f) ;; *) exit 9;; esac; done\n"
	if err := os.WriteFile(path, []byte(head+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	waitForInterrupt = `trap 'echo partial >"$output"; exit 0' INT; : >"$output.ready"; while :; do sleep 0.02; done`
	// for a client, whose first argument is the file that the tool writes
	untilReady = `while ! [ -e "$1.ready" ]; do sleep 0.02; done`
	neverEnd   = `trap '' INT; exec sleep 600`
)

func TestCaptureRun(t *testing.T) {
	for _, c := range []struct {
		name, tool, client string
		options            Options
		partial            bool
		bytes              int64
		warning            string // part of one
		full               bool   // the disk is
		clientErr          string // part of it; empty: none
		err                string // likewise
	}{
		{name: "good", tool: `echo good >"$output"`, client: "exit 0", bytes: 5},
		{name: "the client fails", tool: `echo good >"$output"`, client: "exit 3", bytes: 5,
			clientErr: "exit status 3"},
		{name: "instrumentation failure with status 0", client: "exit 0", bytes: 2, partial: true,
			tool: `printf '\r\033[31;1m 1 Mbps\033[0m\r` +
				`\033[31;1mInstrumentation failure: Too many source locations\033[0m\n'; echo x >"$output"`,
			warning: "Instrumentation failure: Too many source locations"},
		{name: "protocols differ", client: "exit 0", err: "the wheel iree-base-runtime carries both",
			tool: `echo; echo 'The client you are trying to connect to uses incompatible protocol version.'; exit 1`},
		{name: "no file", tool: "echo no luck; exit 4", client: "exit 0", err: "exit status 4; it said: no luck"},
		{name: "an empty file", tool: `: >"$output"`, client: "exit 0", err: "left no file"},
		{name: "a file and a failure", tool: `echo x >"$output"; exit 5`, client: "exit 0", bytes: 2, partial: true,
			warning: "exit status 5"},
		{name: "the tool hangs", tool: waitForInterrupt, client: untilReady, options: Options{Grace: time.Second},
			bytes: 8, partial: true, warning: "still running 1s after its client had ended"},
		{name: "the tool hangs and does not listen", tool: neverEnd, client: "exit 0",
			options: Options{Grace: 100 * time.Millisecond}, err: "signal: killed"},
		{name: "the client hangs", tool: `echo x >"$output"`, client: "exec sleep 600",
			options: Options{Grace: 100 * time.Millisecond},
			bytes:   2, partial: true, warning: "did not end with its capture", clientErr: "was killed"},
		{name: "a cut file", client: "exit 0", bytes: 12, partial: true, warning: "was cut while it was written",
			tool: `printf 'tr\375P\001\001\144\000\000\000ab' >"$output"`},
		{name: "a full disk", client: "exit 0", full: true, err: "there is no room on the disk of ",
			tool: `printf 'tr\375P\001\001\144\000\000\000ab' >"$output"`},
		{name: "nothing on a full disk", tool: `: >"$output"`, client: "exit 0", full: true, err: "there is no room on the disk of "},
		{name: "a whole file on a full disk", client: "exit 0", full: true, bytes: 12,
			tool: `printf 'tr\375P\001\001\002\000\000\000ab' >"$output"`},
		{name: "no client comes", tool: `printf 'Connecting to %s:%s...' "$address" "$port"; exec sleep 600`,
			client:  "exit 0",
			options: Options{Grace: time.Minute}, err: "had not connected to its client when that ended"},
		{name: "time limit", tool: waitForInterrupt, client: "exec sleep 600",
			options: Options{Grace: time.Second, MaxDuration: 2 * time.Second},
			bytes:   8, partial: true, warning: "reached its limit of 2s", clientErr: "was killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.options
			o.Tool, o.Output = captureTool(t, c.tool), filepath.Join(t.TempDir(), "out.tracy")
			if err := os.WriteFile(o.Output, []byte("from an earlier capture"), 0o644); err != nil {
				t.Fatal(err)
			}
			capture, err := Start(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if c.full {
				capture.noRoom = func(string) error { return syscall.ENOSPC }
			}
			result, clientErr, err := capture.Run(exec.Command("/bin/sh", "-c", c.client, "client", Unfinished(o.Output)))
			checkError(t, "client", clientErr, c.clientErr)
			checkError(t, "capture", err, c.err)
			if err != nil {
				if _, err := os.Stat(Unfinished(o.Output)); c.full && err == nil {
					t.Error("the cut capture is left")
				}
				if left, _ := os.ReadFile(o.Output); string(left) != "from an earlier capture" {
					t.Errorf("there is no capture, and the earlier one is %q", left)
				}
				return
			}
			if result.Path != o.Output || result.Bytes != c.bytes || result.Partial != c.partial {
				t.Errorf("result %+v, want %d bytes, partial %v", result, c.bytes, c.partial)
			}
			if !strings.Contains(strings.Join(result.Warnings, "\n"), c.warning) ||
				(c.warning == "") != (len(result.Warnings) == 0) {
				t.Errorf("warnings %q, want one with %q", result.Warnings, c.warning)
			}
		})
	}
}

func checkError(t *testing.T, whose string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error of the %s: %v, want %q in it", whose, err, want)
	}
}

// Both sides are told the same port of the loopback interface, and no two captures get the same one.
func TestCapturePort(t *testing.T) {
	tool := captureTool(t, `echo "$address $port" >"$output"`)
	capture, err := Start(t.Context(), Options{Tool: tool, Output: filepath.Join(t.TempDir(), "out.tracy")})
	if err != nil {
		t.Fatal(err)
	}
	capture.ClientEnded()
	capture.ClientEnded()
	result, err := capture.Wait()
	if err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile(result.Path)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(capture.Port())
	if string(told) != "127.0.0.1 "+port+"\n" || !slices.Contains(capture.Environment(), "TRACY_PORT="+port) ||
		!slices.Contains(capture.Environment(), "TRACY_ONLY_LOCALHOST=1") {
		t.Errorf("tool: %q, client: %q, port %s", told, capture.Environment(), port)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatalf("the port chosen is not free: %v", err)
	}
	l.Close()
}

func TestCaptureCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	output := filepath.Join(t.TempDir(), "out.tracy")
	started := filepath.Join(t.TempDir(), "started")
	capture, err := Start(ctx, Options{Tool: captureTool(t,
		`trap 'echo partial >"$output"; exit 0' INT; : >`+started+`; while :; do sleep 0.02; done`), Output: output})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the tool has not started: %v", err)
		}
	}
	cancel()
	result, err := capture.Wait()
	if err != nil || !result.Partial || !strings.Contains(strings.Join(result.Warnings, " "), "cancelled") {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestCaptureMemoryLimit(t *testing.T) {
	capture, err := Start(t.Context(), Options{Tool: captureTool(t, waitForInterrupt),
		Output: filepath.Join(t.TempDir(), "out.tracy"), MaxBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := "more than its limit of 1"
	if runtime.GOOS != "linux" {
		want = "not watched"
		time.Sleep(3 * watchEvery)
		capture.stop()
	}
	result, err := capture.Wait()
	if !strings.Contains(strings.Join(result.Warnings, " "), want) { // the script may be stopped before it can write
		t.Errorf("%+v, %v; want %q", result, err, want)
	}
}

func TestCaptureOptions(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{}, "no output file"},
		{Options{Output: "x", Port: 65536}, "port 65536"},
		{Options{Output: "x", MaxBytes: -1}, "limit is negative"},
		{Options{Output: "x", Tool: "/no/such/tool"}, "/no/such/tool"},
	} {
		if _, err := Start(t.Context(), c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.want)
		}
	}
}

func TestFindCaptureTool(t *testing.T) {
	dir := t.TempDir()
	tool := func(parts ...string) string {
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	onPath, inWheel := tool("bin", "tracy-capture"), tool("site", "iree", "_runtime_libs_tracy", "iree-tracy-capture")
	named, given := tool("named"), tool("given")
	site := filepath.Join(dir, "site")
	for _, c := range []struct {
		path, variable, search string
		sites                  []string
		want                   string // a path, or part of the error
	}{
		{given, named, "bin", []string{site}, given},
		{"", named, "bin", []string{site}, named},
		{"", "", "bin", []string{"elsewhere", site}, inWheel},
		{"", "", "bin", []string{"elsewhere"}, onPath},
		{"", filepath.Join(dir, "gone"), "bin", []string{site}, "$ZONEMARK_TRACY_CAPTURE"},
		{filepath.Join(dir, "gone"), named, "bin", []string{site}, "the tool given"},
		{"", "", "empty", nil, "iree-base-runtime"},
	} {
		t.Setenv("PATH", filepath.Join(dir, c.search))
		got, err := FindTool(c.path, c.variable, c.sites...)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// The beginning and the end of a tool's output are kept, however much it prints between them.
func TestToolOutput(t *testing.T) {
	var o toolOutput
	o.Write([]byte("Instrumentation failure: early\n"))
	for range 10_000 {
		o.Write([]byte("\r\x1b[33;1m   1.25\x1b[0m Mbps | 100 MB and a good deal more than that"))
	}
	o.Write([]byte("\nmemory limit reached\x1b["))
	if got := o.failures(); !slices.Equal(got, []string{"Instrumentation failure: early", "memory limit reached"}) {
		t.Errorf("failures %q", got)
	}
	if got := o.tail(); got != "memory limit reached" {
		t.Errorf("tail %q", got)
	}
	if n := len(o.head) + len(o.rest); n > 3*outputKept+100 {
		t.Errorf("%d bytes kept", n)
	}
}

func FuzzToolOutput(f *testing.F) {
	f.Add([]byte("Connecting to 127.0.0.1:8086...\r\x1b[31;1mInstrumentation failure: x\x1b[0m\n"))
	f.Add([]byte("uses incompatible protocol version.\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var o toolOutput
		for part := range slices.Chunk(b, 7) {
			o.Write(part)
		}
		for _, line := range o.lines() {
			if strings.ContainsAny(line, "\r\n") || strings.TrimSpace(line) != line || line == "" {
				t.Errorf("line %q", line)
			}
		}
		if failures := o.failures(); len(failures) > len(o.lines()) {
			t.Errorf("%d failures in %d lines", len(failures), len(o.lines()))
		}
	})
}
