//go:build !windows

package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/dl"
	"zonemark/executor/platform"
)

// compile builds a shared library of a C source in testdata with the C compiler ($CC, else cc).
func compile(t *testing.T, source string) dl.Library {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	out := filepath.Join(t.TempDir(), "lib.so")
	args := []string{"-O1", "-fno-omit-frame-pointer", "-shared", "-fPIC", "-o", out, filepath.Join("testdata", source)}
	if msg, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", cc, strings.Join(args, " "), err, msg)
	}
	l, err := dl.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func symbol(t *testing.T, l dl.Library, name string) uintptr {
	t.Helper()
	p, err := l.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// offHeap returns memory for native code; it is freed at the end of the test.
func offHeap(t *testing.T, n int) []byte {
	t.Helper()
	b, err := platform.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := platform.Free(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

// newTestLoop closes the loop at the end of the test.
func newTestLoop(t *testing.T, c Clock, entry uintptr, frames ...Frame) *Loop {
	t.Helper()
	l, err := NewLoop(c, entry, frames)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// clocks returns a counter of the processor, uncalibrated, and the fallback.
func clocks() []Clock {
	return []Clock{{Name: counterName, TicksPerNS: 1}, {Name: "monotonic", TicksPerNS: 1}}
}

// eachWay runs f with every clock, with calls that are serialized or not, and from a place that has them go through a
// pointer.
func eachWay(t *testing.T, f func(t *testing.T, c Clock, prepare func(*Loop))) {
	t.Helper()
	for _, c := range clocks() {
		for name, prepare := range map[string]func(*Loop){
			"":            func(*Loop) {},
			",serialized": func(l *Loop) { l.SetSerialized(true) },
			",pointer":    func(l *Loop) { l.SetPlace(7) },
		} {
			t.Run(c.Name+name, func(t *testing.T) { f(t, c, prepare) })
		}
	}
}
