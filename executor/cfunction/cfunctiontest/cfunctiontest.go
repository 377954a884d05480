// Package cfunctiontest helps tests of runtimes that call functions of C. It compiles code, makes calls as a
// measurement does, and looks at their arguments.
package cfunctiontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/dl/dltest"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// Write puts a file into folder and returns its path.
func Write(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// CC runs the C compiler in folder. The test is skipped on a machine without one, except in continuous integration.
func CC(t testing.TB, folder string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(dltest.Compiler(t), arguments...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}

// Compile builds a shared library from C code.
func Compile(t testing.TB, folder, name, code string) {
	t.Helper()
	Write(t, folder, name+".c", code)
	CC(t, folder, "-O1", "-shared", "-fPIC", "-o", name, name+".c")
}

// Prepare prepares an invocation and closes it at the end of the test.
func Prepare(t testing.TB, p executor.Program, inv *invocations.Invocation, setBytes int64) *executor.Call {
	t.Helper()
	call, err := p.Prepare(inv, setBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(call.Close)
	return call
}

// Code returns the workload of a call of native code.
func Code(call *executor.Call) *executor.Native { return call.Work.(*executor.Native) }

// Run makes calls through the timing loop, as a measurement does. It returns both return registers of the last one.
func Run(t testing.TB, call *executor.Call, calls int) (integer, float uint64) {
	t.Helper()
	loop, err := native.NewLoop(native.MonotonicClock(), Code(call).Entry, Code(call).Frames)
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	loop.Run(calls, 1)
	return loop.Returned()
}

// FirstSet returns the memory of the first argument set as elements of type T. offset counts bytes.
func FirstSet[T any](call *executor.Call, offset, n int) []T {
	lines := Code(call).Lines[0]
	memory := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&lines.Addr))), lines.Len)
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[offset])), n)
}

// Input returns an argument with contents.
func Input(name, contents string) invocations.Argument {
	c, err := invocations.ParseContents(contents)
	if err != nil {
		panic(err)
	}
	return invocations.Argument{Name: name, Contents: c}
}
