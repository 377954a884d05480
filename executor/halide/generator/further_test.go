package generator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/remedy"
)

// A generator may need a second source, a folder of headers, a header of Halide's own tools, and a function that its
// pipeline calls. What nothing defines is named.
func TestFurtherSources(t *testing.T) {
	tools := precompiled(t)
	cache := cacheWithRuntimes(t, tools, tools.Host)
	folder := t.TempDir()
	for name, text := range map[string]string{
		// Naming Halide.h makes other.cpp a part of the generator. Reading it would take seconds.
		"parts/shared.h":  "#ifdef NEVER\n#include <Halide.h>\n#endif\nint shift();\n",
		"parts/other.cpp": "#include \"shared.h\"\nint shift() { return 1; }\n",
		"function.c": "#include \"HalideRuntime.h\"\nint brighten(struct halide_buffer_t *in, struct halide_buffer_t *out)" +
			" { return 0; }\n",
		"main.cpp": `#include "Halide.h"
#include "halide_image_info.h"
#include "shared.h"
struct G : Halide::Generator<G> {
    Input<Buffer<uint8_t, 1>> in{"in"};
    Output<Buffer<uint8_t, 1>> out{"out"};
    void generate() {
        Halide::Var x;
        Halide::Func called;
        called.define_extern("brighten", {in}, Halide::UInt(8), 1);
        out(x) = called(x) + shift();
        called.compute_root();
    }
};
HALIDE_REGISTER_GENERATOR(G, g)
`,
	} {
		write(t, filepath.Join(folder, filepath.FromSlash(name)), text)
	}
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	r := Request{Source: at("main.cpp"), Further: []string{at("parts/other.cpp")}, Flags: []string{"-I" + at("parts")},
		Outputs: Outputs{Library: true}}
	_, err := tools.Build(t.Context(), r, cache)
	if want := "link the pipelines: nothing defines brighten; options source=" + at("function.c"); err == nil ||
		!strings.Contains(remedy.Told(err, nil), want) {
		t.Fatalf("without the function: %v\nwant %s", err, want)
	}
	r.Further = append(r.Further, at("function.c"))
	first, err := tools.Build(t.Context(), r, cache)
	if err != nil {
		t.Fatal(err)
	}
	edit(t, at("function.c"), "return 0", "return 1")
	if second, err := tools.Build(t.Context(), r, cache); err != nil || second.Library == first.Library {
		t.Errorf("another function: %v; the library is the same: %t", err, second.Library == first.Library)
	}
	for path, want := range map[string]string{
		at("parts/shared.h"): "it is no C or C++ source, object or archive",
		at("gone.c"):         "no such file", at("gone.o"): "no such file",
	} {
		r.Further = []string{path}
		if _, err := tools.Build(t.Context(), r, cache); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// What a linker says is read for the symbols.
func TestUndefinedSymbols(t *testing.T) {
	const said = "/usr/bin/ld: /tmp/a.o: in function `G::generate()':\n" +
		"a.cpp:(.text+0x1): undefined reference to `fft2d_c2c(ComplexFunc, int)'\n" +
		"a.cpp:(.text+0x2): undefined reference to `fft2d_c2c(ComplexFunc, int)'\n" +
		"ld.lld: error: undefined symbol: brighten\n>>> referenced by a.o\ncollect2: error: ld returned 1 exit status\n"
	if got := undefinedSymbols(said); !slices.Equal(got, []string{"fft2d_c2c(ComplexFunc, int)", "brighten"}) {
		t.Errorf("%q", got)
	}
}

// Of several generators, each gets the parameters that it has. One that none has is an error, and so is a flag in two
// words.
func TestParametersOfSome(t *testing.T) {
	tools, cache := installed(t), t.TempDir()
	r := Request{Source: sourceOf(t, "pipelines.py"), GeneratorParams: map[string]string{"size": "32"},
		Outputs: Outputs{Object: true}}
	if _, err := tools.Build(t.Context(), r, cache); err != nil {
		t.Error(err)
	}
	r.GeneratorParams["sise"] = "32"
	_, err := tools.Build(t.Context(), r, cache)
	if want := "none of its generators (twice, bare) has a parameter sise"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	r.GeneratorParams, r.Scheduler = nil, "adams2019" // which needs estimates
	_, err = tools.Build(t.Context(), r, cache)
	if want := "say generator which ones to build; it has twice, bare"; err == nil || !strings.Contains(remedy.Told(err, nil), want) {
		t.Errorf("%v, want %s", err, want)
	}
	r.Flags = []string{"-I", "parts"}
	if _, err := tools.Build(t.Context(), r, cache); err == nil || !strings.Contains(err.Error(), `"-I" cannot be given here`) {
		t.Errorf("a flag in two words: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
