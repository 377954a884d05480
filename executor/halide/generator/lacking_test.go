package generator

import (
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// A source that lacks a header, a stub, a function, a feature of the target and a type is completed by one remedy: with
// its options, it is built.
func TestCompleted(t *testing.T) {
	if !testsize.Large() {
		t.Skip("it compiles C++ a dozen times; TestBuildable tries a remedy, too")
	}
	_, err := exec.LookPath("c++")
	testneeds.Missing(t, err)
	tools, folder := precompiled(t), t.TempDir()
	cache := cacheWithRuntimes(t, tools, tools.Host)
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"parts/shared.h":   "#include <Halide.h>\nHalide::Expr shifted(Halide::Expr e);\n",
		"parts/shared.cpp": "#include \"shared.h\"\nHalide::Expr shifted(Halide::Expr e) { return e + 1; }\n",
		"parts/main.cpp":   "Halide::Expr shifted(Halide::Expr e) { return e; }\nint main() { return 0; }\n",
		"parts/twice_generator.cpp": `#include "Halide.h"
struct Twice : Halide::Generator<Twice> {
    Input<Func> in{"in", 1};
    Output<Func> out{"out", 1};
    void generate() { Halide::Var x; out(x) = in(x) * 2; }
};
HALIDE_REGISTER_GENERATOR(Twice, twice)
`,
		"parts/g_generator.cpp": `#include <assert.h>
#include "parts/shared.h"
#include "twice.stub.h"
struct G : Halide::Generator<G> {
    Input<Buffer<void, 1>> in{"in"};
    Output<Buffer<void, 1>> out{"out"};
    void generate() {
        assert(get_target().has_feature(Halide::Target::NoBoundsQuery));
        Halide::Var x;
        Halide::Func doubled = twice::generate(this, {in});
        out(x) = shifted(doubled(x));
    }
};
HALIDE_REGISTER_GENERATOR(G, g)
`,
	} {
		write(t, at(name), text)
	}
	r := Request{Source: at("parts/g_generator.cpp"), Outputs: Outputs{Library: true}}
	_, err = tools.Build(t.Context(), r, cache)
	list := remedy.Of(err)
	want := strings.Join([]string{
		"target=host-no_bounds_query", "source=" + at("parts/twice_generator.cpp"), "source=" + at("parts/shared.cpp"),
		"cflags=-I" + folder, "generator-param=in.type=float32",
	}, "\n")
	if len(list) != 1 || list[0].Kind != remedy.Options || list[0].Value != want {
		t.Fatalf("error %v\nremedies %q\nwant %q", err, list, want)
	}
	for _, text := range []string{"parts/shared.h", "choose its types and numbers"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %v\nwant %q in it", err, text)
		}
	}
	r.Target, r.Flags = "host-no_bounds_query", []string{"-I" + folder}
	r.Further = []string{at("parts/twice_generator.cpp"), at("parts/shared.cpp")}
	r.GeneratorParams = map[string]string{"in.type": "float32"}
	out, err := tools.Build(t.Context(), r, cache)
	if err != nil || len(out.Pipelines) != 1 || out.Pipelines[0].Generator != "g" {
		t.Errorf("with the remedy: %+v, error %v", out.Pipelines, err)
	}

	write(t, at("parts/twice_generator.cpp"), "none")
	write(t, at("parts/shared.cpp"), "none")
	_, err = tools.Build(t.Context(), Request{Source: r.Source, Outputs: r.Outputs}, cache)
	if list := remedy.Of(err); err == nil || !strings.Contains(err.Error(), withoutFound) || len(list) != 1 ||
		list[0].Value != "cflags=-I"+folder {
		t.Errorf("of a stub that nothing makes: error %v, remedies %q", err, list)
	}
}

// A source that names a file outside of its folder does not make that folder readable: only a flag of the user does.
func TestFoundIsNotAllowed(t *testing.T) {
	tools, folder := precompiled(t), t.TempDir()
	write(t, filepath.Join(folder, "above.h"), "#include <Halide.h>\n")
	source := filepath.Join(folder, "own", "g_generator.cpp")
	write(t, source, `#include "above.h"
struct G : Halide::Generator<G> {
    Output<Buffer<uint8_t, 1>> out{"out"};
    void generate() { Halide::Var x; out(x) = Halide::cast<uint8_t>(x); }
};
HALIDE_REGISTER_GENERATOR(G, g)
`)
	var read []string
	tools.confine = func(_ *exec.Cmd, a building.Access) (building.Confinement, error) {
		read = append(read, a.Read...)
		return building.Confinement{}, nil
	}
	r := Request{Source: source, Outputs: Outputs{Library: true}}
	_, err := tools.Build(t.Context(), r, cacheWithRuntimes(t, tools, tools.Host))
	if list := remedy.Of(err); len(list) != 1 || list[0].Value != "cflags=-I"+folder {
		t.Errorf("error %v, remedies %q", err, list)
	}
	if slices.Contains(read, folder) || !slices.Contains(read, filepath.Dir(source)) {
		t.Errorf("programs could read %q", read)
	}
	read = nil
	r.Flags = []string{"-I" + folder}
	if _, err := tools.Build(t.Context(), r, cacheWithRuntimes(t, tools, tools.Host)); err != nil || !slices.Contains(read, folder) {
		t.Errorf("error %v, with the flag programs could read %q", err, read)
	}
}

// Of a source with several generators, the error of one that needs more than examples of types names the others.
func TestBuildable(t *testing.T) {
	source := filepath.Join(t.TempDir(), "g.cpp")
	write(t, source, `#include <stdlib.h>
#include "Halide.h"
struct Whole : Halide::Generator<Whole> {
    Output<Buffer<uint8_t, 1>> out{"out"};
    void generate() { Halide::Var x; out(x) = Halide::cast<uint8_t>(x); }
};
struct Open : Halide::Generator<Open> {
    Input<Buffer<void, 1>> in{"in"};
    Output<Buffer<void, 1>> out{"out"};
    void generate() {
        Halide::Var x;
        if (in.type() != Halide::UInt(64)) abort();
        out(x) = in(x);
    }
};
HALIDE_REGISTER_GENERATOR(Whole, whole)
HALIDE_REGISTER_GENERATOR(Open, open)
`)
	tools := precompiled(t)
	_, err := tools.Build(t.Context(), Request{Source: source, Outputs: Outputs{Library: true}},
		cacheWithRuntimes(t, tools, tools.Host))
	if list := remedy.Of(err); len(list) != 1 || list[0].Value != "generator=whole" ||
		!strings.Contains(err.Error(), "Type is not defined for Input 'in'") {
		t.Errorf("error %v, remedies %q", err, list)
	}
}

// What a source says itself comes first, also if it lacked something before; then comes the command that gives that.
func TestOwnFailure(t *testing.T) {
	tools, folder := precompiled(t), t.TempDir()
	source := filepath.Join(folder, "own", "g_generator.cpp")
	write(t, source, `#include "Halide.h"
#include <stdio.h>
#include "shared.h"
struct G : Halide::Generator<G> {
    Output<Buffer<uint8_t, 1>> out{"out"};
    void generate() { fprintf(stderr, "the tables of %s are not there\n", "g"); exit(3); }
};
HALIDE_REGISTER_GENERATOR(G, g)
`)
	write(t, filepath.Join(folder, "parts", "shared.h"), "\n")
	_, err := tools.Build(t.Context(), Request{Source: source, Outputs: Outputs{Library: true}}, t.TempDir())
	list := remedy.Of(err)
	if len(list) != 1 || list[0].Value != "cflags=-I"+filepath.Join(folder, "parts") {
		t.Fatalf("error %v, remedies %q", err, list)
	}
	own := source + ": generator g: the tables of g are not there\n(generator: exit status 3)" + withoutFound + source +
		": it does not compile: "
	if !strings.HasPrefix(err.Error(), own) {
		t.Errorf("error %v\nwant %s first", err, own)
	}
}

// Messages tell what a generator lacks.
func TestLacking(t *testing.T) {
	for text, want := range map[string]need{
		"Type is not defined for Input 'in'; you may need": neededParameter("in.type"),
		"Dimensions are not defined for Output 'out'; you": neededParameter("out.dim"),
		"ArraySize is unspecified for Input'in'; you need": neededParameter("in.size"),
		"Can't call Func::type on Func \"out$2\" because it is undefined or has no type requirements.": neededParameter(
			"out.type"),
		"Schedule for Func out requires <Default_GPU> but no compatible target feature is enabled": neededFeature("cuda"),
		"another error": nil,
	} {
		var got *lack
		if err := lacking(io.EOF, text); !errors.As(err, &got) {
			got = &lack{}
		}
		if got.need != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	const begin = "generator: /a b/c.cpp:59: void G::generate(): Assertion `"
	for text, want := range map[string]need{
		"get_target().has_feature(Target::CPlusPlusMangling)' failed.": neededFeature("c_plus_plus_name_mangling"),
		"get_target().has_feature(Target::NoBoundsQuery)' failed.":     neededFeature("no_bounds_query"),
		"false && \"non-auto_schedule not supported.\"' failed.":       neededScheduler{},
		"n > 0' failed.": nil,
	} {
		err, got := refusal("c.cpp", "said\n"+begin+text+"\n"), &lack{}
		if said := "c.cpp: it ended itself: " + begin + text + "\nit had printed before that:\nsaid"; err == nil || err.Error() != said {
			t.Errorf("%s: error %v", text, err)
		}
		if errors.As(err, &got); got.need != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if err := refusal("c.cpp", "Segmentation fault\n"); err != nil {
		t.Errorf("without an assertion: %v", err)
	}
}

// What a source lacks is looked for in the folders around it.
func TestNearby(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"include/lib/a.h": "", "app/lib/deep/b.h": "", "app/src/g.cpp": "HALIDE_REGISTER_GENERATOR(G, g)",
		"app/src/f.cpp": "int f(int a);\nnamespace n {\nFuncs<int>\nf(int a,\n  std::vector<int> b) {\n  return g(1);\n}\n",
		"app/src/m.cpp": "int f(int) { return 1; }\nint main(int, char **) { return 0; }\n",
		"app/src/h.cc":  "HALIDE_REGISTER_GENERATOR( ns::H , h, h_stub)\nint k(void) { return f(2); }\n",
	} {
		write(t, at(name), text)
	}
	for header, want := range map[string]string{
		"lib/a.h": at("include"), "lib/deep/b.h": at("app"), "none.h": "",
	} {
		if got := includedNear(header, at("app/src")); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
	r := Request{Source: at("app/src/g.cpp")}
	if got := definedNear([]string{"n::f(int, std::vector<int>)", "k", "g", "none(int)"}, r); !slices.Equal(got,
		[]string{at("app/src/f.cpp"), at("app/src/h.cc")}) {
		t.Errorf("sources of symbols: %q", got)
	}
	for name, want := range map[string]string{"h": at("app/src/h.cc"), "g": "", "H": ""} {
		if got := registeredNear(name, r.Source); got != want {
			t.Errorf("generator %s: %q", name, got)
		}
	}
}
