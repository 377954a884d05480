package pjrt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/dispatches"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations"
)

// TestPJRTMisbehaves runs programs on a plugin that crashes, ends the process, hangs and refuses, with good programs in
// between. Each has its own status.
func TestPJRTMisbehaves(t *testing.T) {
	plugin := e2e.PretendPlugin(t)
	dir := t.TempDir()
	suite := "[defaults]\nruntime = \"tt\"\nmin_time = \"0s\"\nmax_time = \"20ms\"\n" +
		"min_iterations = 3\nprecision = 0\ntimeout = \"20s\"\n"
	for i, name := range []string{"good", "crash in compile", "crash in execute", "good again", "never completes",
		"exit in compile", "refuse", "too large", "stops on the device", "good at last"} {
		path := filepath.Join(dir, fmt.Sprintf("p%d.mlir", i))
		if err := os.WriteFile(path, []byte("// "+name+"\nfunc.func @main(%a: tensor<8xf32>) -> tensor<8xf32>\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		suite += fmt.Sprintf("[[invocation]]\nname = %q\nartifact = %q\nfunction = \"main\"\n", name, path)
		if name == "never completes" {
			suite += "timeout = \"1s\"\n"
		}
	}
	path, results := filepath.Join(dir, "s.toml"), filepath.Join(dir, "r.ndjson")
	if err := os.WriteFile(path, []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	e2e.Runs(t, cli.ExitNotOK, "run", path, "--plugin", plugin, "-o", results, "-q")
	records := e2e.Journal(t, results)
	for name, want := range map[string]struct {
		status invocations.Status
		text   string
	}{
		"good": {invocations.OK, ""}, "good again": {invocations.OK, ""}, "good at last": {invocations.OK, ""},
		"crash in compile":    {invocations.Crashed, "SIGSEGV"},
		"crash in execute":    {invocations.Crashed, "SIGSEGV"},
		"exit in compile":     {invocations.Crashed, "3"},
		"never completes":     {invocations.Timeout, ""},
		"refuse":              {invocations.Failed, "UNIMPLEMENTED: this program is not supported here"},
		"too large":           {invocations.OutOfMemory, "RESOURCE_EXHAUSTED: 4096 GiB were asked for"},
		"stops on the device": {invocations.Failed, "PJRT_Event_Await: INTERNAL: the device stopped"},
	} {
		r, there := records[name]
		if !there || r.Status != want.status || !strings.Contains(r.Error, want.text) {
			t.Errorf("%s: %s: %q, crash %+v; want %s, %q", name, r.Status, r.Error, r.Crash, want.status, want.text)
		}
	}
}

// TestPJRTHangs checks that opening the devices may hang, as it does where there are none: the last words of the plugin
// are told, in the result or, if only the plugin can read the program, in the error.
func TestPJRTHangs(t *testing.T) {
	const words = "asking the metadata server"
	plugin := e2e.PretendPlugin(t, `-DHANG="`+words+`"`)
	dir := t.TempDir()
	text, bytecode := filepath.Join(dir, "text.stablehlo"), filepath.Join(dir, "bytecode.stablehlo")
	for path, program := range map[string]string{
		text: "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32>\n", bytecode: "ML\xefR\x0dStableHLO_v1.9.0\x00",
	} {
		if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := e2e.Runs(t, cli.ExitNotOK, "run", text, "--plugin", plugin, "--timeout", "1s")
	if !strings.Contains(out, "timeout  no result within 1s; killed in phase prepare; it wrote: "+words) {
		t.Error(out)
	}
	out = e2e.Runs(t, cli.ExitError, "run", bytecode, "--plugin", plugin, "--timeout", "1s")
	if !strings.Contains(out, "no answer before the deadline: 1s; --timeout allows more; it wrote:\n  "+words) {
		t.Error(out)
	}
}

// TestPJRTRefusesBytecode checks that a program which only the plugin can read, and does not read, has a result, whatever
// arguments are given.
func TestPJRTRefusesBytecode(t *testing.T) {
	plugin := e2e.PretendPlugin(t, "-DSTABLEHLO=13")
	path := filepath.Join(t.TempDir(), "newer.stablehlo")
	if err := os.WriteFile(path, []byte("ML\xefR\x0dStableHLO_v1.15.0\x00 refuse"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := e2e.Runs(t, cli.ExitNotOK, "run", path, "--plugin", plugin, "--input", "4xf32=1", "--expected-output", "4xf32=1")
	if !strings.Contains(out, "main  failed  the program is bytecode of StableHLO 1.15.0 and the plugin knows StableHLO up") {
		t.Error(out)
	}
}

// TestPJRTOptions gives the options of the runtime on the command line, by variable and in a suite.
func TestPJRTOptions(t *testing.T) {
	cpu := setuptest.PJRTCPU(t)
	dir := t.TempDir()
	matmul := e2e.Top(t, "executor", "tt", "testdata", "matmul_f32.mlir")
	suite := filepath.Join(dir, "s.toml")
	if err := os.WriteFile(suite, []byte(fmt.Sprintf("[[invocation]]\nname = \"main\"\nruntime = \"tt\"\n"+
		"artifact = %q\nfunction = \"main\"\n", matmul)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(setup.PJRTCPUVariable, cpu)
	for i, c := range []struct {
		args  []string
		exit  int
		notes []string
	}{
		{[]string{matmul, "--runtime", "tt", "--plugin", cpu, "--input", "3x4xf32=1", "--input", "4x2xf32=2",
			"--expected-output", "3x2xf32=8"}, cli.ExitOK, []string{"1 of 4 devices", "inputs stay on the device"}},
		{[]string{matmul, "--runtime", "tt", "--plugin", "cpu", "--chips", "0", "--transfers", "included"}, cli.ExitOK,
			[]string{"4 of 4 devices", "a call pushes its inputs"}},
		{[]string{suite, "--plugin", "cpu", "--compile-option", "xla_cpu_enable_fast_math=true",
			"--compile-option", "xla_backend_optimization_level=1"}, cli.ExitOK, []string{"1 of 4 devices"}},
		{[]string{matmul, "--runtime", "tt", "--plugin", "cpu", "--compile-option", "no_such_option=1"},
			cli.ExitNotOK, nil},
		{[]string{matmul, "--runtime", "tt", "--plugin", "cpu", "--input", "3x4xf32=1", "--input", "4x2xf32=2",
			"--expected-output", "3x2xf32=9"}, cli.ExitNotOK, nil},
	} {
		results := filepath.Join(dir, fmt.Sprintf("%d.ndjson", i))
		e2e.Runs(t, c.exit, append([]string{"run", "-q", "-o", results, "--max-time", "50ms"}, c.args...)...)
		r := e2e.Journal(t, results)["main"]
		for _, want := range c.notes {
			if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, want) }) {
				t.Errorf("%q: notes %q, want %q in them", c.args, r.Notes, want)
			}
		}
		if c.exit == cli.ExitOK && (r.MedianNS == nil || *r.MedianNS <= 0) {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--plugin", filepath.Join(dir, "none.so")}, "there is no such file"},
		{[]string{"--plugin", dir}, "a folder; name the file in it"},
		{[]string{"--compile-option", "fast"}, "want NAME=VALUE"},
	} {
		if out := e2e.Runs(t, cli.ExitError, append([]string{"run", matmul, "--runtime", "tt"},
			c.args...)...); !strings.Contains(out, c.want) {
			t.Errorf("%q: %s, want %q in it", c.args, out, c.want)
		}
	}
	if out := e2e.Runs(t, cli.ExitNotOK, "run", matmul, "--runtime", "tt", "--plugin", suite); !strings.Contains(out,
		"not a shared library") {
		t.Errorf("a text as plugin: %s", out)
	}
}

// TestPJRTCompiledIsKept runs a program twice, the second time from the cache, and a third time with a damaged one,
// which is replaced.
func TestPJRTCompiledIsKept(t *testing.T) {
	t.Setenv(setup.PJRTCPUVariable, setuptest.PJRTCPU(t))
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("ZONEMARK_HOME", home)
	matmul := e2e.Top(t, "executor", "tt", "testdata", "matmul_f32.mlir")
	run := func(name string) string {
		results := filepath.Join(dir, name+".ndjson")
		cmd := e2e.Command(t, "run", matmul, "--runtime", "tt", "--plugin", "cpu", "--max-time", "50ms", "-q",
			"-o", results, "--input", "3x4xf32=1", "--input", "4x2xf32=2", "--expected-output", "3x2xf32=8")
		cmd.Env = append(cmd.Env, "ZONEMARK_HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Join(e2e.Journal(t, results)["main"].Notes, "\n")
	}
	if notes := run("first"); !strings.Contains(notes, "compiled in ") || strings.Contains(notes, "cached") {
		t.Errorf("%s", notes)
	}
	for range 2 {
		if notes := run("again"); !strings.Contains(notes, "(cached: loaded in ") {
			t.Errorf("%s", notes)
		}
		if err := os.Remove(filepath.Join(dir, "again.ndjson")); err != nil {
			t.Fatal(err)
		}
	}
	found, err := filepath.Glob(filepath.Join(home, "built", "pjrt", "*.executable"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if err := os.Truncate(found[0], 1000); err != nil {
		t.Fatal(err)
	}
	if notes := run("damaged"); !strings.Contains(notes, "compiled anew: "+found[0]+": its checksum is wrong") {
		t.Errorf("%s", notes)
	}
	if notes := run("mended"); !strings.Contains(notes, "(cached: loaded in ") {
		t.Errorf("%s", notes)
	}
}

// TestPJRTProfile runs a program on a plugin with a profiler. The profiler returns the recording of fifty calls of a
// small model, since zonemark makes fifty.
func TestPJRTProfile(t *testing.T) {
	recorded := e2e.Top(t, "executor", "tt", "testdata", "mlp.xplane.pb")
	plugin := e2e.PretendPlugin(t, fmt.Sprintf("-DXSPACE=%q", recorded))
	dir := t.TempDir()
	program := filepath.Join(dir, "p.stablehlo")
	if err := os.WriteFile(program, []byte("func.func @main(%a: tensor<8xf32>) -> tensor<8xf32>\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "r.ndjson")
	out := e2e.Runs(t, cli.ExitOK, "run", program, "--sandbox-read", recorded, "--plugin", plugin, "--max-time",
		"50ms", "-o", results)
	r := e2e.Journal(t, results)["main"]
	if len(r.Dispatches) != 9 || r.Dispatches[1].Name != "tanh.9" ||
		r.Dispatches[1].Count != dispatches.ProfiledCalls || r.DispatchSource != "profile" || r.GapNS == nil ||
		*r.GapNS <= 0 || slices.Contains(r.Verdicts, invocations.PartialTrace) ||
		!strings.Contains(out, "broadcast_divide_fusion") {
		t.Errorf("%s\n%+v", out, r)
	}
	off := filepath.Join(dir, "off.ndjson")
	e2e.Runs(t, cli.ExitOK, "run", program, "--plugin", plugin, "--max-time", "50ms", "--dispatches", "off",
		"-o", off, "-q")
	if r := e2e.Journal(t, off)["main"]; len(r.Dispatches) > 0 || r.DispatchSource != "" {
		t.Errorf("%+v", r)
	}
}
