package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
	"zonemark/invocations/environ"
	"zonemark/invocations/wire"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
)

// TestMain makes the test binary an executor of zonemark, or a trace host of another program, if it is called by the
// name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zonemark": executorMain, hostOfTests: testHostMain})
}

// executorMain carries out the verb executor of a zonemark without runtimes.
func executorMain() {
	os.Exit(Serve(cli.Streams{Out: os.Stdout, Err: os.Stderr}, os.Args[2:], nil, nil))
}

const (
	// hostOfTests is the name under which the test binary is a trace host whose client is another program than an
	// executor.
	hostOfTests = "tracehost"
	// clientVariable holds that program and its arguments, in JSON.
	clientVariable = "TRACEHOST_CLIENT"
	// driverVariable makes it a driver instead: it holds the options of a Tracer, in JSON.
	driverVariable = "TRACEHOST_DRIVER"
)

// testHostMain is a trace host with another client, or a driver that starts one and waits to be killed.
func testHostMain() {
	set := pflag.NewFlagSet("host", pflag.ContinueOnError)
	set.String("role", "", "")
	memory := set.Int64("memory", 0, "")
	h := newTraceHost(set)
	if len(os.Args) < 2 || os.Args[1] != "executor" {
		os.Exit(testDriver())
	}
	if err := set.Parse(os.Args[2:]); err != nil {
		panic(err)
	}
	h.memoryBytes = *memory
	h.command = func(outside string) (*exec.Cmd, error) {
		var words []string
		if err := json.Unmarshal([]byte(os.Getenv(clientVariable)), &words); err != nil {
			return nil, err
		}
		cmd := exec.Command(words[0], words[1:]...)
		return cmd, h.confine(cmd, outside)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(h.run(ctx, cli.Streams{Out: os.Stdout, Err: os.Stderr}))
}

func testDriver() int {
	var o CaptureOptions
	if err := json.Unmarshal([]byte(os.Getenv(driverVariable)), &o); err != nil {
		panic(err)
	}
	scratch, err := cachedir.Of(environ.OfProcess()).Scratch()
	if err != nil {
		panic(err)
	}
	if _, err := NewTracer(Options{Sandbox: sandbox.Auto, Scratch: scratch, Variables: environ.OfProcess()},
		o).Start(executors.Allowance{}); err != nil {
		panic(err)
	}
	time.Sleep(time.Hour)
	return 0
}

// client returns the environment that makes a test's trace host start a program instead of an executor.
func client(t *testing.T, words ...string) []string {
	t.Helper()
	text, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	return []string{clientVariable + "=" + string(text)}
}

// tracing returns a starter whose trace hosts are this binary under a name: zonemark, or hostOfTests. It ends with the
// test, and so do the processes that it started.
func tracing(t *testing.T, name string, mode sandbox.Mode, support sandbox.Support, o CaptureOptions) *Tracer {
	t.Helper()
	old := os.Args[0]
	os.Args[0] = name
	s := newTracerOn(support, Options{Sandbox: mode, Scratch: t.TempDir(), Variables: environ.OfProcess()}, o)
	t.Cleanup(func() {
		s.Close()
		os.Args[0] = old
	})
	return s
}

func start(t *testing.T, s *Tracer) *executors.Process {
	t.Helper()
	p, err := s.Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shellTool returns a stand-in for a capture tool: a shell script in which $output and $port have the values that the
// real tool gets.
func shellTool(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture")
	head := "#!/bin/sh\nwhile getopts fo:a:p: o; do case $o in o) output=$OPTARG;; p) port=$OPTARG;; esac; done\n"
	if err := os.WriteFile(path, []byte(head+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// hello exchanges the first messages with an executor as a driver does, and then sends Goodbye.
func hello(t *testing.T, p *executors.Process) *wire.Hello {
	t.Helper()
	conn := wire.NewConn(p.From, p.To)
	if err := conn.Send(&wire.Hello{Protocol: wire.Protocol, Build: cli.Version()}); err != nil {
		t.Fatal(err)
	}
	reply, err := conn.Receive()
	if err != nil {
		t.Fatalf("%v; the executor wrote %q", err, p.Wait().Stderr)
	}
	if err := conn.Send(&wire.Goodbye{}); err != nil {
		t.Fatal(err)
	}
	return reply.(*wire.Hello)
}

// If there are no network namespaces, or the user wants none, the trace uses a port of the loopback interface, and the
// result says so.
func TestTraceWithoutNamespaces(t *testing.T) {
	probed := sandbox.Probe().Without(sandbox.LayerUser, "forbidden by the test").Without(sandbox.LayerNet,
		"forbidden by the test")
	for _, c := range []struct {
		mode    sandbox.Mode
		support sandbox.Support
		notice  string
	}{
		{sandbox.Auto, probed, "this machine allows no network namespaces (forbidden by the test)"},
		{sandbox.Off, sandbox.Support{}, "with --sandbox=off"},
	} {
		output := filepath.Join(t.TempDir(), "out.tracy")
		s := tracing(t, "zonemark", c.mode, c.support, CaptureOptions{Output: output,
			Tool: shellTool(t, `echo "$port" >"$output"`)})
		p := start(t, s)
		h := hello(t, p)
		if exit := p.Wait(); exit.Code != 0 || exit.Signal != "" {
			t.Errorf("%s: the executor ended with %+v", c.mode, exit)
		}
		if slices.Contains(h.Layers, string(sandbox.LayerNet)) || h.MissingLayers[string(sandbox.LayerNet)] == "" {
			t.Errorf("%s: layers %q, missing %q", c.mode, h.Layers, h.MissingLayers)
		}
		got := s.Captures()
		if len(got) != 1 || got[0].Private || got[0].Error != "" || got[0].Port == 0 || got[0].Path != output {
			t.Fatalf("%s: captures %+v", c.mode, got)
		}
		if !strings.HasPrefix(got[0].Notice, "traces on loopback port ") ||
			!strings.HasSuffix(got[0].Notice, c.notice) {
			t.Errorf("%s: notice %q", c.mode, got[0].Notice)
		}
	}
}

// If the capture tool is missing, the executor does not start, and the result says why.
func TestTraceWithoutTool(t *testing.T) {
	s := tracing(t, "zonemark", sandbox.Auto, sandbox.Probe(), CaptureOptions{Output: filepath.Join(t.TempDir(),
		"out.tracy"), Tool: "/no/such/tool"})
	exit := start(t, s).Wait()
	if exit.Code != cli.ExitError || !strings.Contains(strings.Join(exit.Stderr, "\n"), "/no/such/tool") {
		t.Errorf("it ended with %+v", exit)
	}
	if got := s.Captures(); len(got) != 1 || !strings.Contains(got[0].Error, "/no/such/tool") || got[0].Exit != nil {
		t.Errorf("captures %+v", got)
	}
}

func TestCaptureOutputs(t *testing.T) {
	s := &Tracer{capture: CaptureOptions{Output: filepath.Join("a.b", "run.tracy")}}
	var got []string
	for i := range 3 {
		got = append(got, s.output(i))
	}
	if want := []string{filepath.Join("a.b", "run.tracy"), filepath.Join("a.b", "run-2.tracy"),
		filepath.Join("a.b", "run-3.tracy")}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Cancelling kills the client. That is not a success, even if the system has no signals, and the capture is kept.
func TestHostTraceCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var r Capture
	h := traceHost{}
	h.capture.Tool, h.capture.Output = shellTool(t, `echo x >"$output"`), filepath.Join(t.TempDir(), "out.tracy")
	state, err := hostTrace(ctx, exec.Command("sleep", "600"), h.capture, "the test has none", nil, &r)
	if err != nil || state.Success() || r.Exit == nil || r.Bytes != 2 || r.Notice == "" {
		t.Errorf("%v, %v, %+v", state, err, r)
	}
	if _, err := hostTrace(t.Context(), exec.Command("/no/such/executor"), h.capture, "", nil, &r); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("an executor that is not there: %v", err)
	}
}

func FuzzCapture(f *testing.F) {
	text, err := json.Marshal(Capture{Path: "x", Bytes: 1, Warnings: []string{"w"}, Port: 8086, Private: true,
		Exit: &executors.Exit{Signal: "SIGSEGV", MaxRSSBytes: 1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("")
	f.Add(`{"exit":null}{}`)
	f.Add(`{"port":1e99}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readCapture(strings.NewReader(text))
		if err != nil {
			if !strings.Contains(err.Error(), "trace host") || !reflect.DeepEqual(r, Capture{}) {
				t.Errorf("%q: %+v, %v", text, r, err)
			}
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		same, err := readCapture(strings.NewReader(string(again)))
		if err != nil {
			t.Fatal(err)
		}
		if once, err := json.Marshal(same); err != nil || string(once) != string(again) {
			t.Errorf("%q: %s, then %s, %v", text, again, once, err)
		}
	})
}
