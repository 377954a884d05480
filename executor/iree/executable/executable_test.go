package executable

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/executor/platform"
)

// library unpacks the executable library of a sample module.
func library(t *testing.T, module string) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the sample modules hold code for x86-64, which this test loads with Linux's loader")
	}
	z, err := zip.OpenReader(filepath.Join("..", "testdata", module+".vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".so") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		path := filepath.Join(t.TempDir(), f.Name)
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatal("no library in the sample")
	return ""
}

// floats is a buffer of numbers off the Go heap.
func floats(t *testing.T, values ...float32) ([]float32, Buffer) {
	t.Helper()
	memory, err := platform.Alloc(4 * len(values))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { platform.Free(memory) })
	p := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(memory))), len(values))
	copy(p, values)
	return p, Buffer{Address: uintptr(unsafe.Pointer(unsafe.SliceData(memory))), Bytes: uintptr(len(memory))}
}

func TestDispatch(t *testing.T) {
	for module, version := range map[string]uint32{"tiny": 6, "tiny_3.6": 5} {
		t.Run(module, func(t *testing.T) {
			l, err := Open(library(t, module))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if l.Version != version || len(l.Exports) != 1 {
				t.Fatalf("version %d with %d exports, want version %d with 1", l.Version, len(l.Exports), version)
			}
			e := l.Exports[0]
			if e.Name != "tiny_dispatch_0_elementwise_4_f32" || e.Bindings != 3 || e.Constants != 0 || !strings.HasSuffix(e.SourceFile, "tiny.mlir") || e.SourceLine == 0 {
				t.Errorf("export %+v", e)
			}
			_, a := floats(t, 1, 2, 3, 4)
			_, b := floats(t, 5, 6, 7, 8)
			c, out := floats(t, 0, 0, 0, 0)
			d, err := l.Prepare(&e, Workgroups{1, 1, 1}, nil, []Buffer{a, b, out})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Call(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c, []float32{5, 12, 21, 32}) {
				t.Errorf("got %v", c)
			}
			clear(c)
			loop, err := native.NewLoop(native.MonotonicClock(), d.Entry, d.Frames)
			if err != nil {
				t.Fatal(err)
			}
			loop.Run(3, 2)
			loop.Close()
			if !slices.Equal(c, []float32{5, 12, 21, 32}) {
				t.Errorf("by the loop: %v", c)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if d.Call() == nil {
				t.Error("a closed dispatch is called")
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	l, err := Open(library(t, "mlp"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(l.Exports) != 3 {
		t.Fatalf("%d exports, want 3", len(l.Exports))
	}
	e := &l.Exports[0]
	_, b := floats(t, 1)
	three := []Buffer{b, b, b}
	for _, c := range []struct {
		workgroups Workgroups
		constants  []uint32
		buffers    []Buffer
		want       string
	}{
		{Workgroups{0, 1, 1}, nil, three, "does nothing"},
		{Workgroups{1 << 31, 1 << 31, 1}, nil, three, "more than"},
		{Workgroups{1, 1, 1 << 16}, nil, three, "more than"},
		{Workgroups{1, 1, 1}, []uint32{1}, three, "1 constants are given and it takes 0"},
		{Workgroups{1, 1, 1}, nil, three[:1], "1 bindings are given and it takes 3"},
	} {
		if _, err := l.Prepare(e, c.workgroups, c.constants, c.buffers); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.workgroups, err, c.want)
		}
	}
	d, err := l.Prepare(e, Workgroups{3, 2, 2}, nil, three)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if len(d.Frames) != 12 {
		t.Errorf("%d frames for 12 workgroups", len(d.Frames))
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "missing.so")); err == nil || !strings.Contains(err.Error(), "missing.so") {
		t.Errorf("a missing library: %v", err)
	}
	path := library(t, "tiny")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 100, 1000} {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("a library of %d bytes is opened: %v", n, err)
		}
	}
}
