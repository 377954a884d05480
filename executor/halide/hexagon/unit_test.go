package hexagon

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/halide/metadata"
	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

func TestCheckTarget(t *testing.T) {
	for _, c := range []struct{ target, refused, processor string }{
		{"hexagon-32-noos-hvx", "", "hexagonv62"},
		{"hexagon-32-noos-hvx-hvx_v66", "", "hexagonv66"},
		{"hexagon-32-noos-hvx_128-hvx_v68-no_asserts", "", "hexagonv68"},
		{"hexagon-32-noos-hvx_v66", "add the feature hvx", "hexagonv66"},
		{"hexagon-32-noos", "add the feature hvx", "hexagonv62"},
		{"hexagon-32-qurt-hvx", "choose hexagon-32-noos-hvx-hvx_v66", "hexagonv62"},
		{"hexagon-32", "choose hexagon-32-noos-hvx-hvx_v66", "hexagonv62"},
		{"x86-64-linux-hvx", "not one for Hexagon", "hexagonv62"},
	} {
		err := CheckTarget(c.target)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: error %v, want %q in it", c.target, err, c.refused)
		}
		if got := processor(c.target); got != c.processor {
			t.Errorf("%s: processor %s, want %s", c.target, got, c.processor)
		}
	}
	if IsTarget("hexagon-321") || !IsTarget("hexagon-32") {
		t.Error("the architecture is a whole word")
	}
}

// example returns the memory of a call with a scalar and a buffer of two dimensions.
func example(t testing.TB) *Memory {
	t.Helper()
	m, err := NewMemory([]Argument{
		{Scalar: [8]byte{7, 0, 1}},
		{Buffer: &Buffer{
			Type:       metadata.Type{Code: metadata.Uint, Bits: 16, Lanes: 1},
			Dimensions: []Dimension{{Min: -1, Extent: 6, Stride: 1}, {Extent: 4, Stride: 6, Flags: 9}},
			Bytes:      48,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The pointers lead to what they should, at the offsets of halide_buffer_t on a 32-bit processor.
func TestMemory(t *testing.T) {
	m := example(t)
	at := func(address uint32) []byte { return m.bytes[address-memoryAddress:] }
	word := func(address uint32) uint32 { return binary.LittleEndian.Uint32(at(address)) }
	if scalar := word(memoryAddress); !bytes.Equal(at(scalar)[:8], []byte{7, 0, 1, 0, 0, 0, 0, 0}) {
		t.Errorf("scalar %v", at(scalar)[:8])
	}
	b := word(memoryAddress + 4)
	if b%8 != 0 {
		t.Errorf("buffer at %#x", b)
	}
	copy(m.Elements(1), "elements")
	host := word(b + 12)
	if host%128 != 0 || string(at(host)[:8]) != "elements" {
		t.Errorf("host pointer %#x", host)
	}
	if word(b) != 0 || word(b+16) != hostDirty || word(b+24) != 1|16<<8|1<<16 || word(b+28) != 2 {
		t.Errorf("buffer % x", at(b)[:40])
	}
	dim := word(b + 32)
	if int32(word(dim)) != -1 || word(dim+4) != 6 || word(dim+16+8) != 6 || word(dim+16+12) != 9 {
		t.Errorf("dimensions % x", at(dim)[:32])
	}
	binary.LittleEndian.PutUint32(at(dim+4), 8) // as a bounds query does
	if got := m.Dimensions(1); got[0] != (Dimension{-1, 8, 1, 0}) || got[1] != (Dimension{0, 4, 6, 9}) {
		t.Errorf("dimensions %v", got)
	}
}

// Buffers without memory have a null pointer, which asks for the bounds. More than fits is refused.
func TestMemoryBounds(t *testing.T) {
	m, err := NewMemory([]Argument{{Buffer: &Buffer{Dimensions: make([]Dimension, 1)}}})
	if err != nil || binary.LittleEndian.Uint32(m.bytes[m.structs[0]+12:]) != 0 {
		t.Errorf("error %v", err)
	}
	_, err = NewMemory([]Argument{{Buffer: &Buffer{Bytes: maxMemory}}})
	if err == nil || !strings.Contains(err.Error(), "smaller extents") {
		t.Errorf("error %v", err)
	}
}

// answer returns a reply as the harness writes it.
func answer(m *Memory, status int32, text string) []byte {
	var b []byte
	for _, w := range []uint32{magic, uint32(status), 300, 700, 200, uint32(len(text))} {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return append(append(b, text...), bytes.Repeat([]byte{5}, len(m.bytes))...)
}

func TestDecode(t *testing.T) {
	m := example(t)
	request := m.encode(3)
	if len(request) != 16+len(m.bytes) || binary.LittleEndian.Uint32(request[4:]) != memoryAddress ||
		binary.LittleEndian.Uint32(request[12:]) != 3 {
		t.Errorf("request % x", request[:16])
	}
	got, err := m.decode(answer(m, -4, "first\nsecond\n"))
	want := Reply{Status: -4, Text: "first; second", Counts: Counts{300, 700, 200}}
	if err != nil || got != want || m.Elements(1)[0] != 5 {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
	whole := answer(m, 0, "")
	for name, c := range map[string]struct {
		reply []byte
		want  string
	}{
		"cut in its head": {whole[:20], "ends at byte 20"},
		"cut":             {whole[:len(whole)-1], "bytes after its head"},
		"too long":        {append(bytes.Clone(whole), 0), "bytes after its head"},
		"printed":         {append([]byte("hello"), whole...), "has printed something"},
		"text too long":   {answer(m, 0, strings.Repeat("x", maxTextBytes+1)), "bytes after its head"},
	} {
		if _, err := m.decode(c.reply); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
}

func FuzzReply(f *testing.F) {
	m := example(f)
	f.Add(answer(m, 0, ""))
	f.Add(answer(m, -1, "text\n"))
	f.Add(answer(m, 0, "")[:replyBytes])
	f.Fuzz(func(t *testing.T, b []byte) {
		m := example(t)
		r, err := m.decode(b)
		if err == nil && (len(b) < len(m.bytes) || r.Counts.Packets < 0 || len(r.Text) > 3*maxTextBytes) {
			t.Errorf("%d bytes were taken: %+v", len(b), r)
		}
	})
}

// How an emulator ends becomes an error that says what to do.
func TestCallFaults(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for script, want := range map[string]string{
		"kill -SEGV $$": "by SIGSEGV", "kill -ILL $$": "an older one", "exit 93": "smaller extents", "exit 94": "abort",
		"echo >&2 \"unable to find CPU model 'unknown'\"; exit 1": "install a newer qemu",
		"echo >&2 odd; exit 3":   "exit status 3: odd",
		"echo":                   "ends at byte 1",
		"head -c 9000 /dev/zero": "has printed something",
	} {
		cmd := exec.Command(shell, "-c", script)
		_, err := Call(cmd, cmd.Run, 0, example(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", script, err, want)
		}
		var crash *CrashError
		if errors.As(err, &crash) != strings.HasPrefix(script, "kill") {
			t.Errorf("%s: error %v", script, err)
		}
	}
}

// A function that is missing is named. Other messages of the linker are shown.
func TestLinkError(t *testing.T) {
	said := "ld.lld: error: undefined symbol: my_stage\n>>> referenced by a.o\n\nld.lld: error: undefined symbol: sem_wait\n"
	err := linkError(&toolchain.FailedError{Name: "zig", Err: errors.New("exit status 1"), Said: said})
	if !strings.Contains(err.Error(), "need my_stage, sem_wait,") {
		t.Errorf("error %v", err)
	}
	said = "ld.lld: error: out of things\n"
	err = linkError(&toolchain.FailedError{Name: "zig", Err: errors.New("exit status 1"), Said: said})
	if !strings.Contains(err.Error(), "out of things") {
		t.Errorf("error %v", err)
	}
}

func TestTable(t *testing.T) {
	if got := table([]string{"a", "b"}); !strings.Contains(got, "int b_argv(void **);") ||
		!strings.Contains(got, "{a_argv, a_metadata},\n    {b_argv, b_metadata},") {
		t.Errorf("%s", got)
	}
}

// A tool that is missing is told with the remedy.
func TestFindTools(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	here := filepath.Join(t.TempDir(), "here")
	if err := os.WriteFile(here, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		find   func(func(string) string) (string, error)
		path   string
		remedy string
	}{
		{FindCompiler, "", "not installed; install halide-hexagon, or put zig on PATH"}, {FindCompiler, gone, compilerVariable},
		{FindEmulator, "", "package qemu-user, or file it "}, {FindEmulator, gone, emulatorVariable},
		{FindCompiler, here, ""}, {FindEmulator, here, ""},
	} {
		path, err := c.find(func(string) string { return c.path })
		if (err == nil) != (c.remedy == "") || err != nil && !strings.Contains(remedy.Told(err, nil), c.remedy) ||
			err == nil && path != here {
			t.Errorf("%q: %q, error %v, want %q in it", c.path, path, err, c.remedy)
		}
	}
}

// A compiler that fails is told with its words, and nothing is left in the cache but its folder.
func TestLinkFails(t *testing.T) {
	fake, cache := filepath.Join(t.TempDir(), "zig"), t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = version ] && echo 0.17.0 && exit\necho undefined symbol: my_stage\nexit 1\n"
	if err := os.WriteFile(fake, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p := Program{Target: "hexagon-32-noos-hvx", Pipelines: []string{"a"}}
	if _, err := Link(context.Background(), fake, p, building.Workshop{Cache: cache}); err == nil || !strings.Contains(err.Error(), "need my_stage") {
		t.Errorf("error %v", err)
	}
	left, err := os.ReadDir(filepath.Join(cache, "hexagon"))
	if err != nil || len(left) != 1 || left[0].Name() != "zig" {
		t.Errorf("left %v, error %v", left, err)
	}
	p.Target = "hexagon-32-noos"
	if _, err := Link(context.Background(), fake, p, building.Workshop{Cache: cache}); err == nil || !strings.Contains(err.Error(), "hvx") {
		t.Errorf("error %v", err)
	}
}
