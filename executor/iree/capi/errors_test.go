package capi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// damaged writes a copy of a module of testdata with bytes replaced.
func damaged(t *testing.T, module string, damage func([]byte) []byte) string {
	t.Helper()
	b, err := os.ReadFile(modulePath(module))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), module+".vmfb")
	if err := os.WriteFile(path, damage(b), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// bytecodeVersion is the version that the modules in testdata were compiled for, as stored in the flatbuffer.
var bytecodeVersion = binary.LittleEndian.AppendUint32(nil, 17<<16)

func TestBytecodeVersion(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	path := damaged(t, "noop", func(b []byte) []byte {
		if n := bytes.Count(b, bytecodeVersion); n != 1 {
			t.Fatalf("the version stands in the module %d times", n)
		}
		return bytes.Replace(b, bytecodeVersion, binary.LittleEndian.AppendUint32(nil, 15<<16), 1)
	})
	_, err := d.Load(path, nil)
	var version *VersionError
	if !errors.As(err, &version) || version.Module != "15.0" || version.Runtime != "17.0" {
		t.Fatalf("error: %v", err)
	}
	for _, want := range []string{
		"load module: ",
		"bytecode version 15.0",
		"this runtime loads 17.0",
		"compile the module again",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error %q does not say %q", err, want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	for name, c := range map[string]struct{ path, want string }{
		"missing": {filepath.Join(t.TempDir(), "none.vmfb"), "none.vmfb"},
		"folder":  {t.TempDir(), "not a regular file"},
		"no name": {"", "not a file name"},
		"empty":   {damaged(t, "tiny", func([]byte) []byte { return nil }), "the file is empty"},
		"cut off": {damaged(t, "tiny", func(b []byte) []byte { return b[:len(b)/2] }), "INVALID_ARGUMENT"},
		"text": {damaged(t, "tiny", func([]byte) []byte { return []byte("func.func @tiny()") }),
			"INVALID_ARGUMENT"},
		"other computer": {damaged(t, "tiny", otherMachine), "ELF machine"},
	} {
		s, err := d.Load(c.path, nil)
		if err == nil {
			s.Close()
			t.Errorf("%s: loaded", name)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "runtime/src") ||
			strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: the error is %q", name, err)
		}
		t.Log(name, ":", err)
	}
}

// otherMachine changes the dispatch library in the module to one for another processor.
func otherMachine(b []byte) []byte {
	if elf := bytes.Index(b, []byte("\x7fELF")); elf >= 0 {
		binary.LittleEndian.PutUint16(b[elf+18:], 21) // EM_PPC64
	}
	return b
}

func TestDeviceErrors(t *testing.T) {
	l := open(t)
	for name, c := range map[string]struct {
		o    DeviceOptions
		want string
	}{
		"unknown":         {DeviceOptions{Driver: "hip"}, "local-sync, local-task"},
		"empty":           {DeviceOptions{}, "local-sync"},
		"threads of sync": {DeviceOptions{Driver: "local-sync", TaskThreads: 2}, "only the device local-task"},
		"threads":         {DeviceOptions{Driver: "local-task", TaskThreads: -1}, "-1 task threads"},
		"many threads":    {DeviceOptions{Driver: "local-task", TaskThreads: 1 << 20}, "1048576 task threads"},
	} {
		d, err := l.OpenDevice(c.o)
		if err == nil {
			d.Close()
			t.Errorf("%s: opened", name)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error %q does not say %q", name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "libiree_runtime.so")); err == nil {
		t.Error("a missing library opened")
	}
	if _, err := Open("libm.so.6"); err == nil || !strings.Contains(remedy.Told(err, nil), "install iree-capi") {
		t.Errorf("another library: %v", err)
	}
}

func TestCallErrors(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	s := load(t, d, "tiny")
	x := floats([]int64{4}, 1)
	if _, err := s.Call("nothing", nil); err == nil || !strings.Contains(err.Error(), "module.nothing") {
		t.Errorf("a function that is not there: %v", err)
	}
	for name, in := range map[string]tensor.Tensor{
		"too little data": {Element: invocations.Float32, Shape: []int64{4}, Data: make([]byte, 12)},
		"too much data":   {Element: invocations.Float32, Shape: []int64{4}, Data: make([]byte, 20)},
		"negative":        {Element: invocations.Float32, Shape: []int64{-4}},
		"overflow":        {Element: invocations.Float32, Shape: []int64{1 << 62, 4}},
		"no element type": {Shape: []int64{4}, Data: make([]byte, 16)},
		"short scalar":    {Element: invocations.Int32, Data: make([]byte, 2), Scalar: true},
	} {
		if c, err := s.Call("tiny", []tensor.Tensor{in, x}); err == nil {
			c.Close()
			t.Errorf("%s: accepted", name)
		} else if !strings.Contains(err.Error(), "input 0") {
			t.Errorf("%s: the error %q does not say which input", name, err)
		}
	}
	for name, in := range map[string][]tensor.Tensor{
		"too few inputs":  {x},
		"too many inputs": {x, x, x},
		"shape":           {x, floats([]int64{5}, 1)},
		"rank":            {x, floats([]int64{2, 2}, 1)},
		"element":         {x, {Element: invocations.Int32, Shape: []int64{4}, Data: make([]byte, 16)}},
		"scalar":          {x, {Element: invocations.Float32, Data: make([]byte, 4), Scalar: true}},
	} {
		c := call(t, s, "tiny", in...)
		for range 2 {
			var status *StatusError
			if err := c.Invoke(); !errors.As(err, &status) || status.Code == 0 ||
				!strings.Contains(err.Error(), "module.tiny: ") {
				t.Errorf("%s: %v", name, err)
			} else {
				t.Log(name, ":", err)
			}
		}
	}
	same(t, results(t, call(t, s, "tiny", x, x)), []tensor.Tensor{x}) // the session still works
}

func TestStatusText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"/src/iree/runtime/src/iree/vm/bytecode/verifier.c:181: INVALID_ARGUMENT; bytecode bad; loading\n  " +
			"0x7f00deadbeef frame", "INVALID_ARGUMENT; bytecode bad; loading"},
		{"iree/base/status.c:9: NOT_FOUND; a; iree/x.h:3: b", "NOT_FOUND; a; b"},
		{"vm/m.c:7: INVALID_ARGUMENT; rank mismatch; while invoking native function hal.buffer_view.assert; while " +
			"calling import;\n[ 0] bytecode module@1:236 -", "INVALID_ARGUMENT; rank mismatch"},
		{"", "IREE status code 5"},
		{"\x00\x01\xff", "IREE status code 5"},
	} {
		err := statusError(5, c.in)
		if err.Error() != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, err, c.want)
		}
	}
	err := statusError(9, "x.c:1: FAILED_PRECONDITION; executable does not support this version of the runtime "+
		"(00000006)")
	var version *VersionError
	if !errors.As(err, &version) || version.Runtime != "0.6" ||
		!strings.Contains(err.Error(), "compile the module again") {
		t.Errorf("executable library: %v", err)
	}
	if long := statusError(2, strings.Repeat("long text ", 10000)); len(long.Error()) > statusTextBytes+10 {
		t.Errorf("a status of %d bytes", len(long.Error()))
	}
}

func FuzzStatusText(f *testing.F) {
	f.Add(3, "/src/iree/runtime/src/iree/vm/bytecode/verifier.c:181: INVALID_ARGUMENT; bytecode version mismatch; "+
		"runtime supports 17.0, module has 15.0")
	f.Add(9, "x/y.c:1: FAILED_PRECONDITION; executable does not support this version of the runtime (00000006); "+
		"while invoking native function a.b")
	f.Add(5, "NOT_FOUND\n stack trace:\n 0x7f00deadbeef")
	f.Fuzz(func(t *testing.T, code int, text string) {
		said := statusError(code, text).Error()
		if said == "" || !utf8.ValidString(said) || strings.ContainsFunc(said, unicode.IsControl) ||
			len(said) > statusTextBytes+500 {
			t.Errorf("%q becomes %q", text, said)
		}
	})
}
