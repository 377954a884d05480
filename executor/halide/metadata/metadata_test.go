package metadata

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// source is a pipeline in C. Its layouts are those of HalideRuntime.h. It has a decoy: another table with its name.
const source = `
#include <stdint.h>
struct argument {
    const char *name; int32_t kind, dimensions; uint8_t code, bits; uint16_t lanes;
    const void *def, *min, *max, *estimate; const int64_t *const *estimates;
};
struct metadata { int32_t version, count; const struct argument *arguments; const char *target, *name; };
struct decoy { int64_t number; const void *a, *b; const char *name; };
const struct decoy decoy = {7, 0, 0, "blur"};
static const int64_t zero = 0, wide = 640;
static const float half = 0.5f;
static const int64_t *const estimates[] = {&zero, &wide, 0, &wide};
static const struct argument arguments[] = {
    {"in", 1, 2, 1, 8, 1, 0, 0, 0, 0, estimates},
    {"gain", 0, 0, 2, 32, 1, &half},
    {"out", 2, 2, 4, 16, 1},
};
static const struct metadata storage = {VERSION, COUNT, arguments, "x86-64-linux-avx2", "blur"};
const struct metadata *blur_metadata(void) { return &storage; }
int blur_argv(void **argv) { return argv == 0; }
int halide_malloc(void) { return 0; }
`

// compile compiles the source with these flags and returns the file.
func compile(t testing.TB, name string, flags ...string) []byte {
	t.Helper()
	folder := t.TempDir()
	in, out := filepath.Join(folder, "blur.c"), filepath.Join(folder, name)
	if err := os.WriteFile(in, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	object := out
	if strings.HasSuffix(name, ".a") {
		object = filepath.Join(folder, "blur.o")
	}
	args := append([]string{"-O1", "-fPIC", "-DVERSION=1", "-DCOUNT=3", "-o", object, in}, flags...)
	if said, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, said)
	}
	if object != out {
		if said, err := exec.Command("ar", "rc", out, in, object).CombinedOutput(); err != nil {
			t.Fatalf("ar: %v\n%s", err, said)
		}
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func number(n int64) *int64 { return &n }

// The same metadata are read from a library with either form of relocations, an object file and an archive.
func TestParse(t *testing.T) {
	value := make([]byte, 8)
	binary.LittleEndian.PutUint32(value, 0x3f000000)
	want := []Pipeline{{
		Name: "blur", Target: "x86-64-linux-avx2",
		Arguments: []Argument{
			{Name: "in", Kind: InputBuffer, Dimensions: 2, Type: Type{Uint, 8, 1},
				Estimates: []Range{{number(0), number(640)}, {nil, number(640)}}},
			{Name: "gain", Kind: Scalar, Type: Type{Float, 32, 1}, Default: value},
			{Name: "out", Kind: OutputBuffer, Dimensions: 2, Type: Type{BFloat, 16, 1}},
		},
	}}
	for _, c := range []struct {
		name  string
		form  Form
		flags []string
	}{
		{"blur.so", Shared, []string{"-shared"}},
		{"packed.so", Shared, []string{"-shared", "-Wl,-z,pack-relative-relocs"}},
		{"stripped.so", Shared, []string{"-shared", "-s"}},
		{"blur.o", Object, []string{"-c"}},
		{"blur.a", Archive, []string{"-c"}},
	} {
		f, err := Parse(compile(t, c.name, c.flags...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := range f.Pipelines { // what lies behind the four bytes of the default is anything
			if d := f.Pipelines[i].Arguments[1].Default; len(d) == 8 {
				clear(d[4:])
			}
		}
		if !reflect.DeepEqual(f.Pipelines, want) {
			t.Errorf("%s: %+v\nwant %+v", c.name, f.Pipelines, want)
		}
		if f.Form != c.form || !f.Has("halide_malloc") || f.Has("halide_free") {
			t.Errorf("%s: form %d, symbols %q", c.name, f.Form, f.Symbols)
		}
	}
}

// What cannot be read is refused with the reason.
func TestParseErrors(t *testing.T) {
	library := compile(t, "blur.so", "-shared")
	order32 := bytes.Clone(library)
	order32[elf.EI_CLASS] = byte(elf.ELFCLASS32)
	archive := compile(t, "blur.a", "-c")
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "it is no ELF file and no archive"},
		{"cut off", library[:len(library)/2], "the ELF file is damaged: "},
		{"32 bits", order32, "the ELF file is damaged: "},
		{"a program", compile(t, "blur", "-no-pie", "-nostartfiles"), "it is an ELF file of type ET_EXEC"},
		{"another version", compile(t, "v.so", "-shared", "-UVERSION", "-DVERSION=2"),
			"the metadata of blur: version 2, and only 1 is known; build it with Halide 14 to 21"},
		{"too many arguments", compile(t, "n.so", "-shared", "-UCOUNT", "-DCOUNT=5000"),
			"the metadata of blur: 5000 arguments"},
		{"more arguments than there are", compile(t, "m.so", "-shared", "-UCOUNT", "-DCOUNT=900"),
			"the metadata of blur: argument "},
		{"a short archive", archive[:len(archive)/2], "or cut off"},
	} {
		f, err := Parse(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, error %v, want %s", c.name, f, err, c.want)
		}
	}
	if f, err := Parse([]byte(archiveMagic)); err != nil || len(f.Pipelines) != 0 {
		t.Errorf("an empty archive: %+v, error %v", f, err)
	}
}

func TestTypeText(t *testing.T) {
	for text, typ := range map[string]Type{
		"uint1": {Uint, 1, 1}, "bfloat16": {BFloat, 16, 1}, "handle64": {Handle, 64, 1}, "float32x4": {Float, 32, 4},
		"type 9 of 3 bits": {9, 3, 1},
	} {
		if got := typ.String(); got != text {
			t.Errorf("%s, want %s", got, text)
		}
	}
}

// No input makes the reader panic, hang, or return what its limits exclude.
func FuzzParse(f *testing.F) {
	for _, seed := range [][]byte{
		compile(f, "blur.so", "-shared", "-nostdlib", "-s"), compile(f, "blur.o", "-c"), compile(f, "blur.a", "-c"),
		compile(f, "packed.so", "-shared", "-nostdlib", "-Wl,-z,pack-relative-relocs"), []byte(archiveMagic), nil,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		for _, p := range file.Pipelines {
			if p.Name == "" || len(p.Arguments) == 0 || len(p.Arguments) > maxArguments {
				t.Errorf("pipeline %+v", p)
			}
			for _, a := range p.Arguments {
				if a.Dimensions > MaxDimensions || len(a.Estimates) != 0 && len(a.Estimates) != a.Dimensions {
					t.Errorf("argument %+v", a)
				}
			}
		}
	})
}
