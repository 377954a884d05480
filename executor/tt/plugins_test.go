package tt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/dl/dltest"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// cpuRuntime returns the runtime with XLA's plugin for the CPU.
func cpuRuntime(t testing.TB) Runtime {
	t.Helper()
	return New(Plugins{CPU: setuptest.PJRTCPU(t)}, Compiled{})
}

// pretendRuntime returns the runtime with our own plugin, and a function that counts the objects that were made and not
// freed.
func pretendRuntime(t testing.TB, flags ...string) (r Runtime, look func(name string) int64) {
	t.Helper()
	out := dltest.Compile(t, filepath.Join("testdata", "plugin.c"), flags...)
	library, err := dl.Open(out) // the library that the runtime opens
	if err != nil {
		t.Fatal(err)
	}
	return New(Plugins{Default: out}, Compiled{}), func(name string) int64 {
		t.Helper()
		f, err := library.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return int64(dl.Call(f))
	}
}

// write writes a program to a file and returns its path.
func write(t testing.TB, program string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.stablehlo")
	if err := os.WriteFile(path, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// invocation returns a program with inputs and expected results as on the command line.
func invocation(
	t testing.TB, r Runtime, path string, options map[string]string, inputs, expected []string,
) *invocations.Invocation {
	t.Helper()
	ds, err := r.Describe(path, executor.DescribeOptions{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	inv := &invocations.Invocation{
		Artifact:  ds[0].Artifact,
		Function:  ds[0].Functions[0].Name,
		Arguments: ds[0].Functions[0].Arguments,
	}
	inv.Artifact.Options = options
	inv.Verify.Expected = expected
	for i, text := range inputs {
		a, err := invocations.ParseTensor(text)
		if err != nil {
			t.Fatal(err)
		}
		inv.Arguments[i].Contents = a.Contents
		if inv.Arguments[i].Shape == nil {
			inv.Arguments[i].Shape, inv.Arguments[i].Element = a.Shape, a.Element
		}
	}
	return inv
}

// check runs an invocation three times and verifies it. It closes everything.
func check(
	t testing.TB, r Runtime, inv *invocations.Invocation, setBytes int64,
) (mismatch string, notes []string, err error) {
	t.Helper()
	p, err := r.Load(inv.Artifact)
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	call, err := p.Prepare(inv, setBytes)
	if err != nil {
		return "", nil, err
	}
	defer call.Close()
	mismatch, err = call.Verify(func(string) {})
	for i := 0; i < 3 && err == nil; i++ {
		err = once(t, call)
	}
	return mismatch, call.Notes, err
}

// prepared loads and prepares an invocation. The caller closes the program.
func prepared(t testing.TB, r Runtime, inv *invocations.Invocation) (executor.Program, *executor.Call) {
	t.Helper()
	p, err := r.Load(inv.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.Prepare(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p, call
}

// code returns the workload of a call of native code.
func code(call *executor.Call) *executor.Native { return call.Work.(*executor.Native) }

// once makes a call as the server does: through the timing loop if it is native code.
func once(t testing.TB, call *executor.Call) error {
	t.Helper()
	if f, ok := call.Work.(*executor.Function); ok {
		return f.Invoke()
	}
	loop, err := native.NewLoop(native.MonotonicClock(), code(call).Entry, code(call).Frames)
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	loop.Run(int(code(call).CallsPerInvocation), 1)
	return code(call).Failed()
}

func TestPluginsPath(t *testing.T) {
	for _, c := range []struct {
		plugins    Plugins
		name       string
		want, fail string
	}{
		{Plugins{CPU: "/c", TT: "/t"}, "", "/t", ""},
		{Plugins{CPU: "/c"}, "", "/c", ""},
		{Plugins{Default: "/d", CPU: "/c", TT: "/t"}, "", "/d", ""},
		{Plugins{Default: "cpu", CPU: "/c", TT: "/t"}, "", "/c", ""},
		{Plugins{Default: "/d", CPU: "/c"}, "cpu", "/c", ""},
		{Plugins{TT: "/t"}, "tt", "/t", ""},
		{Plugins{TT: "/t"}, "/own/plugin.so", "/own/plugin.so", ""},
		{Plugins{}, "", "", "there; file plugin one ZONEMARK_PJRT_PLUGIN, or install pjrt-cpu"},
		{Plugins{CPU: "/c"}, "tt", "", "pjrt-plugin-tt and activate that environment, or file plugin pjrt_plugin_tt.so"},
		{Plugins{TT: "/t"}, "cpu", "", "; install pjrt-cpu"},
	} {
		got, err := c.plugins.path(c.name)
		if got != c.want || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(remedy.Told(err, nil), c.fail) {
			t.Errorf("%+v, %q: %q, %v; want %q, %q", c.plugins, c.name, got, err, c.want, c.fail)
		}
	}
}
