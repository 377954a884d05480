package halide

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
	"zonemark/invocations/environ"
	"zonemark/invocations/remedy"
)

func describeAt(path string, options map[string]string) ([]invocations.Description, error) {
	return New(environ.Variables{}.Lookup).Describe(path, executor.DescribeOptions{Options: options})
}

// line returns a function as one line of text.
func line(f invocations.Function) string {
	var words []string
	for _, a := range f.Arguments {
		words = append(words, fmt.Sprintf("%s %s %s[%s]", a.Usage, a.Name, a.Element, a.Extent))
	}
	text := f.Name + ": " + strings.Join(words, ", ") + " |"
	for _, p := range f.Parameters {
		text += " " + p.Name + "=" + p.Default
	}
	return text
}

// A library is described by its metadata, and so are its object file and its archive, which must be linked.
func TestDescribe(t *testing.T) {
	library := inC(t)
	folder := t.TempDir()
	object, archive := filepath.Join(folder, "p.o"), filepath.Join(folder, "p.a")
	run(t, "cc", "-std=c11", "-c", "-fPIC", "-o", object, "testdata/pipelines.c")
	run(t, "ar", "rc", archive, object)
	want := []string{
		"clamped: input in uint8[?], output out uint8[?] | in.extent= out.extent=8",
		"crashes: output out uint8[?] | out.extent=8",
		"hungry: output out uint8[?] | out.extent=8",
		"interleaved: input in uint8[?x?x?], output out uint8[?x?x?] | in.extent=8x2x3 out.extent=8x2x3",
		"kinds: input flag bool[], input small int8[], input word uint16[], input long int64[], input half " +
			"float16[], input brain bfloat16[], input open float64[], output point float32[], output out uint8[?] | " +
			"flag=1 small=-2 word=65535 long=-5 half=1 brain=1 open= out.extent=8",
		"refuses: output out uint8[?] | out.extent=8",
		"silent: output out uint8[?] | out.extent=8",
		"stencil: input in uint8[?], output out uint8[?] | in.extent= out.extent=",
		"third: output out uint8[?] | out.extent=8",
		"vector: output out [?] | out.extent=8",
		"wide: input in int16[?x?x?x?x?x?x?x?], output out int16[?x?x?x?x?x?x?x?] | " +
			"in.extent=3x2x2x2x2x2x2x2 out.extent=3x2x2x2x2x2x2x2",
		"wrong: input in uint8[?x?x?], output out uint8[?x?x?] | in.extent=8x2x3 out.extent=8x2x3",
	}
	for _, path := range []string{library, object, archive} {
		list, err := describeAt(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range list[0].Functions {
			got = append(got, line(f))
			if f.Skip != "" || f.Lacks != "" {
				t.Errorf("%s: skipped %q, lacks %q", f.Name, f.Skip, f.Lacks)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if list[0].NeedsBuild != (path != library) {
			t.Errorf("%s: needs building: %v", path, list[0].NeedsBuild)
		}
	}
	list, err := describeAt(folder, nil)
	if err != nil || len(list) != 2 || list[0].Artifact.Path != archive {
		t.Errorf("of the folder: %d descriptions, error %v", len(list), err)
	}
}

// What is no artifact says so, with what to name instead.
func TestDescribeErrors(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := filepath.Join(folder, "plain.so")
	run(t, "cc", "-shared", "-fPIC", "-o", plain, "-x", "c", write("plain.c", "int f_argv(void) { return 0; }"))
	for _, c := range []struct {
		path    string
		options map[string]string
		want    string
	}{
		{plain, nil, "it holds no Halide pipeline, which is a function NAME_argv with a function NAME_metadata"},
		{write("text.so", "hello"), nil, "it is no ELF file and no archive"},
		{write("cut.a", "!<arch>\nhello"), nil, "byte 8: the archive is damaged there"},
		{filepath.Join(folder, "none.so"), nil, "no such file or directory"},
		{t.TempDir(), nil, "holds no Halide pipeline; name a .so, .a or .o file with one"},
		{plain, map[string]string{"task-threads": "0"}, "option task-threads=0: not a number from 1 to 256"},
	} {
		if _, err := describeAt(c.path, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: error %v\nwant %s", c.path, c.options, err, c.want)
		}
	}
}

func TestRecognizes(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]bool{"a.so": true, "x/b.A": true, "c.o": true, "d.so.1": false, ".so": false,
		"e.hat": false, folder: false, filepath.Dir(inC(t)): true} {
		if got := Recognizes(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// Holds looks into libraries: those that other runtimes keep have no pipelines.
func TestHolds(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"a.so": "no library", "b.o": "", "c.hat": "x", "empty.a": "!<arch>\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if Holds(folder) || Holds(filepath.Join(folder, "empty.a")) {
		t.Error("there is a pipeline where none is")
	}
	library := inC(t)
	if !Holds(filepath.Dir(library)) || !Holds(library) {
		t.Error("the pipelines are not found")
	}
	if !Holds(filepath.Join(folder, "a.so")) { // its error says why
		t.Error("a file that is no library has no pipelines for sure")
	}
}

// Targets for other processors and for devices are skipped with the reason. Features that a processor lacks are named.
func TestTargets(t *testing.T) {
	has := map[string]bool{"sse41": true, "avx2": true, "avx512": false}
	for _, c := range []struct{ target, skip, lacks string }{
		{"x86-64-linux-avx2-sse41", "", ""},
		{"x86-64-linux-avx2-avx512-tune_znver4", "", "avx512"},
		{"x86-64-linux-cuda-sse41", "it was made for a device (cuda)", ""},
		{"arm-64-linux", "it was made for arm64 and this is amd64; build it with target=host", ""},
		{"arm-64-android-avx512", "it was made for arm64", "avx512"},
		{"x86-64-windows", "it was made for windows and this is linux", ""},
		{"x86-64-noos", "", ""},
		{"host", "", ""},
	} {
		p := parseTarget(c.target)
		if skip := p.skip("linux", "amd64"); !strings.HasPrefix(skip, c.skip) || (skip == "") != (c.skip == "") {
			t.Errorf("%s is skipped: %q", c.target, skip)
		}
		if got := p.lacks(has); got != c.lacks {
			t.Errorf("%s lacks %q", c.target, got)
		}
	}
}

// Objects that Halide makes for another processor are read as well.
func TestDescribeHalide(t *testing.T) {
	folder := byHalide(t)
	list, err := describeAt(filepath.Join(folder, "box.so"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list[0].Functions {
		names = append(names, f.Name)
		want := f.Name + ": input src uint8[?x?], input gain float32[], output dst uint8[?x?] | " +
			"src.extent=320x240 gain=0.125 dst.extent=320x240"
		if got := line(f); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if f.Skip != "" || f.Lacks != "" || f.Signature != list[0].Functions[0].Signature {
			t.Errorf("%s: skipped %q, lacks %q, signature %s", f.Name, f.Skip, f.Lacks, f.Signature)
		}
	}
	if got := strings.Join(names, " "); got != "box box_open box_plain" {
		t.Errorf("pipelines %s", got)
	}
	list, err = describeAt(filepath.Join(folder, "arm.o"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := list[0].Functions[0]
	if line(f) != "arm: input a float32[?], output b float32[?] | a.extent=64 b.extent=64" ||
		(f.Skip == "") != (runtime.GOARCH == "arm64") {
		t.Errorf("%s, skipped %q", line(f), f.Skip)
	}
	for path, want := range map[string]bool{
		"profile.o": true, "profile.so": true, "double.o": false, "none.so": false,
	} {
		name := strings.TrimSuffix(path, filepath.Ext(path))
		if name == "profile" {
			name = "box"
		}
		if got := Profiled(invocations.Artifact{Path: filepath.Join(folder, path)}, name); got != want {
			t.Errorf("%s carries the profiler: %v", path, got)
		}
	}
	if m, err := metadata.Read(filepath.Join(folder, "profile.so")); err != nil || !m.Has(knownState) {
		t.Errorf("the profiler's functions: error %v", err)
	}
}

// Extents that do not fit a buffer are answered with those that do: the given ones as far as they are numbers.
func TestExtentsMeant(t *testing.T) {
	for text, want := range map[string]string{"64": "64x64", "640x480x3": "640x480", "big": "256x256", "": "256x256"} {
		_, err := parseExtents(text, 2)
		if got := remedy.Of(err); len(got) != 1 || got[0].Kind != remedy.Instead || got[0].Value != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
