package vmfb

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const samples = "../testdata"

func TestRead(t *testing.T) {
	tiny := Function{
		Name: "tiny", CallingConvention: "0rr_r",
		Declaration: "sync func @tiny(%input0: tensor<4xf32>, %input1: tensor<4xf32>) -> (%output0: tensor<4xf32>)",
		Arguments:   []Value{{"input0", vector}, {"input1", vector}}, Results: []Value{{"output0", vector}},
	}
	dispatch := []DispatchFunction{{Name: "tiny_dispatch_0_elementwise_4_f32", Bindings: 3}}
	open := Type{Kind: Tensor, Element: "f32", Shape: []int64{Dynamic, 4}, Text: "tensor<?x4xf32>"}
	integers := Type{Kind: Tensor, Element: "i32", Shape: []int64{4}, Text: "tensor<4xi32>"}
	for _, c := range []struct {
		file      string
		name      string
		bytecode  string
		functions []Function
		formats   []string
		libraries []Library
	}{
		{"tiny", "module", "17.0", []Function{tiny}, []string{"embedded-elf-x86_64"},
			[]Library{{Name: "tiny_dispatch_0_embedded_elf_x86_64.so", Machine: "amd64",
				ABI: 6, Dispatches: dispatch}}},
		{"tiny_arm64", "module", "17.0", []Function{tiny}, []string{"embedded-elf-arm_64"},
			[]Library{{Name: "tiny_dispatch_0_embedded_elf_arm_64.so", Machine: "arm64",
				ABI: 6, Dispatches: dispatch}}},
		{"tiny_flat", "module", "17.0", []Function{tiny}, []string{"embedded-elf-x86_64"},
			[]Library{{Name: "rodata 4", Machine: "amd64", ABI: 6, Dispatches: dispatch}}},
		{"tiny_3.6", "module", "15.0", []Function{tiny}, []string{"embedded-elf-x86_64"},
			[]Library{{Name: "tiny_dispatch_0_embedded_elf_x86_64.so", Machine: "amd64",
				ABI: 5, Dispatches: dispatch}}},
		{"noop", "module", "17.0",
			[]Function{{Name: "noop", CallingConvention: "0v_v", Declaration: "sync func @noop() -> ()"}}, nil, nil},
		{"hollow", "hollow", "17.0", nil, nil, nil},
		{"dynamic", "module", "17.0", []Function{
			{Name: "dyn", CallingConvention: "0rf_ri", Declaration: "sync func @dyn(%input0: tensor<?x4xf32>, " +
				"%input1: f32) -> (%output0: tensor<?x4xf32>, %output1: i32)",
				Arguments: []Value{{"input0", open}, {"input1", Type{Kind: Scalar, Element: "f32", Text: "f32"}}},
				Results:   []Value{{"output0", open}, {"output1", Type{Kind: Scalar, Element: "i32", Text: "i32"}}}},
			{Name: "other", CallingConvention: "0r_r",
				Declaration: "sync func @other(%input0: tensor<4xi32>) -> (%output0: tensor<4xi32>)",
				Arguments:   []Value{{"input0", integers}}, Results: []Value{{"output0", integers}}},
		}, []string{"embedded-elf-x86_64"},
			[]Library{{Name: "dynamic_linked_embedded_elf_x86_64.so", Machine: "amd64",
				ABI: 6, Dispatches: []DispatchFunction{
					{Name: "dyn_dispatch_0_elementwise_D_f32", Constants: 3, Bindings: 2},
					{Name: "other_dispatch_0_elementwise_4_i32", Bindings: 2}}}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			m, err := Read(filepath.Join(samples, c.file+".vmfb"))
			if err != nil {
				t.Fatal(err)
			}
			if m.Name != c.name || m.Bytecode.String() != c.bytecode {
				t.Errorf("module %s of bytecode %s, want %s of %s", m.Name, m.Bytecode, c.name, c.bytecode)
			}
			for i := range m.Functions {
				m.Functions[i].Attributes = nil
			}
			for i := range m.Libraries {
				l := &m.Libraries[i]
				whole, err := os.ReadFile(filepath.Join(samples, c.file+".vmfb"))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.HasPrefix(whole[l.Offset:], []byte(elfMagic)) || l.Bytes < 1000 ||
					l.Offset+l.Bytes > int64(len(whole)) {
					t.Errorf("library of %d bytes at byte %d", l.Bytes, l.Offset)
				}
				if filepath.Base(l.File) != c.file+".vmfb" {
					t.Errorf("a library of %s is in %q", c.file, l.File)
				}
				for i := range l.Dispatches {
					d := &l.Dispatches[i]
					if !strings.HasSuffix(d.SourceFile, ".mlir") || d.SourceLine <= 0 {
						t.Errorf("%s is of %q, line %d", d.Name, d.SourceFile, d.SourceLine)
					}
					d.SourceFile, d.SourceLine = "", 0
				}
				l.Offset, l.Bytes, l.File = 0, 0, ""
			}
			for what, diff := range map[string]string{
				"functions": cmp.Diff(c.functions, m.Functions),
				"formats":   cmp.Diff(c.formats, m.Formats),
				"libraries": cmp.Diff(c.libraries, m.Libraries),
			} {
				if diff != "" {
					t.Errorf("%s, -want +got:\n%s", what, diff)
				}
			}
		})
	}
}

func TestDependencies(t *testing.T) {
	m, err := Read(filepath.Join(samples, "tiny.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Dependency{{Name: "hal", MinimumVersion: 7}}, m.Dependencies); diff != "" {
		t.Error(diff)
	}
	if len(m.Imports) < 10 || !strings.HasPrefix(m.Imports[0], "hal.") {
		t.Errorf("imports %v", m.Imports)
	}
}

func TestCheck(t *testing.T) {
	m, err := Read(filepath.Join(samples, "tiny_3.6.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	err = m.Check(BytecodeVersion{17, 0})
	if _, ok := errors.AsType[*VersionError](err); !ok || !strings.Contains(err.Error(), "15.0") ||
		!strings.Contains(err.Error(), "17.0") {
		t.Errorf("%v, want both versions", err)
	}
	if err := m.Check(BytecodeVersion{15, 2}); err != nil {
		t.Errorf("a later minor version: %v", err)
	}
}

// TestDamage cuts and changes a module everywhere: each copy gives an error or a module, never a panic.
func TestDamage(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(samples, "tiny.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		_, err := Parse(bytes.NewReader(whole[:n]), int64(n))
		if err == nil {
			t.Fatalf("a module cut at byte %d of %d is read", n, len(whole))
		}
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0xff
		Parse(bytes.NewReader(damaged), int64(len(damaged)))
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tiny, err := os.ReadFile(filepath.Join(samples, "tiny.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	flat, err := os.ReadFile(filepath.Join(samples, "tiny_flat.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{write("text.vmfb", []byte("hello, this is no module at all")), "neither a ZIP archive nor a flatbuffer"},
		{write("empty.vmfb", nil), "neither a ZIP archive nor a flatbuffer"},
		{write("cut.vmfb", tiny[:5000]), "truncated"},
		{write("cutflat.vmfb", flat[:5000]), "truncated"},
		{write("cutelf.vmfb", flat[:7000]), "truncated"},
		{filepath.Join(dir, "missing.vmfb"), "no such file"},
		{dir, "not a regular file"},
	} {
		_, err := Read(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v, want %q", c.path, err, c.want)
		}
	}
}

func TestParseDeclaration(t *testing.T) {
	type want struct{ arguments, results []Value }
	for text, w := range map[string]want{
		"sync func @f() -> ()": {},
		`func @"odd (name"(i32) -> (f64)`: {[]Value{{"input0", Type{Kind: Scalar, Element: "i32", Text: "i32"}}},
			[]Value{{"output0", Type{Kind: Scalar, Element: "f64", Text: "f64"}}}},
		"sync func @f(%x: tensor<f32>, %y: !hal.buffer_view) -> (%z: tensor<4xf32> {iree.abi.output = 0 : index})": {
			[]Value{{"x", Type{Kind: Tensor, Element: "f32", Shape: []int64{}, Text: "tensor<f32>"}},
				{"y", Type{Text: "!hal.buffer_view"}}}, []Value{{"z", vector}}},
		"sync func @f(%x: tensor<*xf32>, %y: tensor<2xcomplex<f32>>)": {
			[]Value{{"x", Type{Text: "tensor<*xf32>"}},
				{"y", Type{Kind: Tensor, Element: "complex<f32>", Shape: []int64{2}, Text: "tensor<2xcomplex<f32>>"}}},
			nil},
	} {
		a, r, ok := parseDeclaration(text)
		if !ok || !cmp.Equal(a, w.arguments) || !cmp.Equal(r, w.results) {
			t.Errorf("%s: %v\n%s%s", text, ok, cmp.Diff(w.arguments, a), cmp.Diff(w.results, r))
		}
	}
	for _, text := range []string{"", "func", "@f", "@f(", "@f(i32", "@f() -> (", `@"f`, "@f() x"} {
		if _, _, ok := parseDeclaration(text); ok {
			t.Errorf("%q is a declaration", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"tiny", "tiny_flat", "hollow", "dynamic"} {
		data, err := os.ReadFile(filepath.Join(samples, name+".vmfb"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(bytes.NewReader(data), int64(len(data)))
		if err == nil && m.Name == "" {
			t.Error("a module without a name")
		}
	})
}

// vector is tensor<4xf32>.
var vector = Type{Kind: Tensor, Element: "f32", Shape: []int64{4}, Text: "tensor<4xf32>"}
