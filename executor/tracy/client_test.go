//go:build !windows

package tracy

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor/dl"
)

// clientSource is a client that records its calls. The declarations are those of TracyC.h.
const clientSource = `
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
struct ___tracy_source_location_data {
  const char* name; const char* function; const char* file; uint32_t line; uint32_t color;
};
typedef struct { uint32_t id; int32_t active; } TracyCZoneCtx;
char record[1 << 20];
static size_t used;
static uint32_t next_id = 0x80000001u;
static const struct ___tracy_source_location_data* last;
#define WRITE(...) (used += (size_t)snprintf(record + used, sizeof record - used, __VA_ARGS__))
const char* recorded(void) { return record; }
size_t recorded_length(void) { return used; }
int32_t ___tracy_connected(void) { return 1; }
void ___tracy_set_thread_name(const char* n) { WRITE("thread %s\n", n); }
TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data* l, int32_t active) {
  TracyCZoneCtx c = { next_id++, active };
  WRITE("begin %x/%d %s %s %s %u %x%s\n", c.id, c.active, l->name, l->function, l->file, l->line, l->color,
        l == last ? " again" : "");
  last = l;
  return c;
}
uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char* file, size_t filen, const char* fn, size_t fnn,
                                    const char* name, size_t namen, uint32_t color) {
  WRITE("location %u %.*s %.*s %.*s %x\n", line, (int)filen, file, (int)fnn, fn, (int)namen, name, color);
  return 0xfedcba9876543210u;
}
TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t l, int32_t active) {
  TracyCZoneCtx c = { next_id++, active };
  WRITE("begin %x/%d %llx\n", c.id, c.active, (unsigned long long)l);
  return c;
}
void ___tracy_emit_zone_end(TracyCZoneCtx c) { WRITE("end %x/%d\n", c.id, c.active); }
void ___tracy_emit_zone_text(TracyCZoneCtx c, const char* t, size_t n) {
  WRITE("text %x/%d %zu %.*s\n", c.id, c.active, n, n > 40 ? 40 : (int)n, t);
}
void ___tracy_emit_zone_name(TracyCZoneCtx c, const char* t, size_t n) {
  WRITE("name %x/%d %.*s\n", c.id, c.active, (int)n, t);
}
void ___tracy_emit_zone_value(TracyCZoneCtx c, uint64_t v) {
  WRITE("value %x/%d %llu\n", c.id, c.active, (unsigned long long)v);
}
void ___tracy_emit_message(const char* t, size_t n, int32_t depth) { WRITE("message %.*s %d\n", (int)n, t, depth); }
void ___tracy_emit_plot_int(const char* n, int64_t v) { WRITE("plot %s %lld\n", n, (long long)v); }
`

// recordingClient returns the client and a function that returns what it has recorded so far.
func recordingClient(t *testing.T) (*Client, func() string) {
	t.Helper()
	dir := t.TempDir()
	source, library := filepath.Join(dir, "client.c"), filepath.Join(dir, "libclient.so")
	if err := os.WriteFile(source, []byte(clientSource), 0o644); err != nil {
		t.Fatal(err)
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	out, err := exec.Command(compiler, "-O1", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	l, err := dl.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c, err := New(l.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	var at, length uintptr
	if at, err = l.Lookup("recorded"); err == nil {
		length, err = l.Lookup("recorded_length")
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, func() string {
		p := dl.Call(at)
		return string(unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), dl.Call(length)))
	}
}

func TestLayout(t *testing.T) {
	var s staticLocation
	for _, c := range []struct {
		field     string
		got, want uintptr
	}{
		{"size", unsafe.Sizeof(s), 32},
		{"function", unsafe.Offsetof(s.function), 8},
		{"file", unsafe.Offsetof(s.file), 16},
		{"line", unsafe.Offsetof(s.line), 24},
		{"color", unsafe.Offsetof(s.color), 28},
		{"context", unsafe.Sizeof(zoneContext(0)), 8},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.field, c.got, c.want)
		}
	}
}

// TestCalls checks that C receives the calls in order, with the garbage collector running in between.
func TestCalls(t *testing.T) {
	c, recorded := recordingClient(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c.SetThreadName("executor\x00tail")
	fixed, err := c.Locate(Location{"fixed", "f", "f.go", 7, 0xff8000})
	if err != nil {
		t.Fatal(err)
	}
	plot, err := c.NewPlot("queue")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	outer := c.Begin("gemm/m=64")
	runtime.GC()
	inner := c.BeginAt(fixed)
	inner.Value(1<<64 - 1)
	dynamic := c.BeginDynamic(Location{"dispatch, 0", "fn", "model.mlir", 5, 0x12})
	dynamic.Name("its own")
	dynamic.Text("")
	dynamic.Text(strings.Repeat("x", 1<<17))
	dynamic.End()
	inner.End()
	outer.End()
	c.Begin("2").End()
	c.Begin("3").End()
	if err := c.Message("done"); err != nil {
		t.Error(err)
	}
	plot.Set(-3)
	if !c.Connected() {
		t.Error("not connected")
	}
	want := `thread executor
begin 80000001/1 invocation invoke zonemark 0 0
text 80000001/1 13 inv=gemm/m=64
begin 80000002/1 fixed f f.go 7 ff8000
value 80000002/1 18446744073709551615
location 5 model.mlir fn dispatch, 0 12
begin 80000003/1 fedcba9876543210
name 80000003/1 its own
text 80000003/1 65534 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
end 80000003/1
end 80000002/1
end 80000001/1
begin 80000004/1 invocation invoke zonemark 0 0
text 80000004/1 5 inv=2
end 80000004/1
begin 80000005/1 invocation invoke zonemark 0 0 again
text 80000005/1 5 inv=3
end 80000005/1
message done 0
plot queue -3
`
	if got := recorded(); got != want {
		t.Errorf("C was told\n%s\nwant\n%s", got, want)
	}
}

func TestPermanentMemory(t *testing.T) {
	c, recorded := recordingClient(t)
	long := strings.Repeat("n", 3*chunkBytes)
	for i := range 3000 { // several chunks
		l, err := c.Locate(Location{Name: fmt.Sprintf("zone %d", i), File: "f", Function: "g"})
		if err != nil {
			t.Fatal(err)
		}
		if l.at%8 != 0 {
			t.Fatalf("location %d lies at %#x", i, l.at)
		}
		if i%1000 == 0 {
			c.BeginAt(l).End()
		}
	}
	l, err := c.Locate(Location{Name: long})
	if err != nil {
		t.Fatal(err)
	}
	c.BeginAt(l).End()
	for _, want := range []string{" zone 0 g f ", " zone 2000 g f ", " " + long + "  "} {
		if !strings.Contains(recorded(), want) {
			t.Errorf("C was not told %.40q", want)
		}
	}
}

func TestMissingFunctions(t *testing.T) {
	gone := errors.New("no such symbol")
	_, err := New(func(name string) (uintptr, error) {
		if strings.Contains(name, "zone_text") || strings.Contains(name, "plot") {
			return 0, gone
		}
		if strings.Contains(name, "connected") {
			return 0, nil
		}
		return 1, nil
	})
	if err == nil || !strings.Contains(err.Error(), "___tracy_connected, ___tracy_emit_zone_text") ||
		strings.Contains(err.Error(), "plot") || !errors.Is(err, gone) {
		t.Errorf("error: %v", err)
	}
	if _, err := New(nil); err == nil {
		t.Error("no library gave no error")
	}
	c, err := New(func(name string) (uintptr, error) {
		if strings.Contains(name, "message") || strings.Contains(name, "plot") {
			return 0, gone
		}
		return 1, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Message("m"); err == nil || !strings.Contains(err.Error(), "___tracy_emit_message") {
		t.Errorf("a message without a function for it: %v", err)
	}
	if _, err := c.NewPlot("p"); err == nil || !strings.Contains(err.Error(), "___tracy_emit_plot_int") {
		t.Errorf("a plot without a function for it: %v", err)
	}
}

func TestNoClient(t *testing.T) {
	var c *Client
	if c.Connected() {
		t.Error("connected")
	}
	c.SetThreadName("x")
	if err := c.Message("m"); err != nil {
		t.Error(err)
	}
	p, err := c.NewPlot("p")
	if err != nil {
		t.Error(err)
	}
	p.Set(1)
	s, err := c.Locate(Location{Name: "l"})
	if err != nil {
		t.Error(err)
	}
	for _, z := range []Zone{c.Begin("1"), c.BeginAt(s), c.BeginDynamic(Location{})} {
		if z != (Zone{}) {
			t.Errorf("zone %v of no client", z)
		}
		z.Text("t")
		z.Name("n")
		z.Value(1)
		z.End()
	}
}
