package iree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testneeds"
)

// compiler returns the installation if it has a compiler.
func compiler(t *testing.T) Installation {
	t.Helper()
	in := InstallationFrom(setuptest.Getenv)
	if in.Compile == "" {
		testneeds.Missing(t, errors.New("IREE's compiler is not here: \"zonemark setup iree\" installs it"))
	}
	return in
}

func writeSource(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompileIsCached(t *testing.T) {
	in := compiler(t)
	o := executor.DescribeOptions{Cache: t.TempDir()}
	source := writeSource(t, "tiny.mlir", tinyModule)
	first, err := compile(t.Context(), source, o, in)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := compile(t.Context(), source, o, in)
	if err != nil || again != first {
		t.Errorf("the same source is %s, then %s: %v", first, again, err)
	}
	elsewhere, err := compile(t.Context(), writeSource(t, "other.mlir", tinyModule), o, in)
	if err != nil || elsewhere == first {
		t.Errorf("a copy of the source elsewhere has a module that names this one as the source of its dispatches: %v",
			err)
	}
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) ||
		!before.ModTime().Equal(after.ModTime()) {
		t.Errorf("it was compiled again: %v", err)
	}
	for name, change := range map[string]func(o *executor.DescribeOptions) string{
		"source": func(*executor.DescribeOptions) string {
			return writeSource(t, "tiny.mlir", tinyModule+"// changed\n")
		},
		"flags": func(o *executor.DescribeOptions) string {
			o.Options = map[string]string{optionCompileFlags: "--iree-opt-level=O3"}
			return source
		},
	} {
		o := o
		path, err := compile(t.Context(), change(&o), o, in)
		if err != nil || path == first {
			t.Errorf("another %s gives the same module: %v", name, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(o.Cache, "iree", ".making-*")); err != nil || left != nil {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// Two compilations at a time return the same, complete module.
func TestCompileSideBySide(t *testing.T) {
	in := compiler(t)
	o := executor.DescribeOptions{Cache: t.TempDir()}
	source := writeSource(t, "tiny.mlir", tinyModule)
	type result struct {
		path string
		err  error
	}
	results := make(chan result)
	for range 2 {
		go func() {
			path, err := compile(t.Context(), source, o, in)
			results <- result{path, err}
		}()
	}
	one, two := <-results, <-results
	if err := errors.Join(one.err, two.err); err != nil || one.path != two.path {
		t.Fatalf("%s and %s: %v", one.path, two.path, err)
	}
	if content, err := os.ReadFile(one.path); err != nil || !strings.HasPrefix(string(content), "PK") {
		t.Errorf("not a whole module: %v", err)
	}
}

func TestCompileErrors(t *testing.T) {
	in := compiler(t)
	broken := writeSource(t, "broken.mlir",
		"func.func @x(%a: i32) -> i32 {\n  %r = arith.nope %a : i32\n  return %r : i32\n}\n")
	good := writeSource(t, "good.mlir", tinyModule)
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the time limit has passed"))
	nothing := in
	nothing.Compile = ""
	gone := in
	gone.Compile = filepath.Join(t.TempDir(), "iree-compile")
	for _, c := range []struct {
		name  string
		ctx   context.Context
		path  string
		flags string
		in    Installation
		want  []string
	}{
		{"operation that is not known", t.Context(), broken, "", in,
			[]string{broken + ": does not compile", broken + ":2:8: error: ", "arith.nope"}},
		{"not MLIR", t.Context(), writeSource(t, "text.mlir", "hello\n"), "", in, []string{"text.mlir:1:1: error:"}},
		{"bytes", t.Context(), writeSource(t, "bytes.mlir", "ML\xefR\x00\xff\xff"), "", in,
			[]string{"bytes.mlir", "error"}},
		{"no file", t.Context(), filepath.Join(t.TempDir(), "none.mlir"), "", in,
			[]string{"none.mlir", "no such file"}},
		{"flag that is not known", t.Context(), good, "--iree-bogus=1", in,
			[]string{"good.mlir: does not compile", "--iree-bogus"}},
		{"no flag", t.Context(), good, "-O3 fast", in, []string{`"fast" is not a flag`, "compile-flags"}},
		{"output", t.Context(), good, "-o=x.vmfb", in, []string{"the output goes to the cache"}},
		{"no compiler", t.Context(), good, "", nothing, []string{"good.mlir", "; install iree"}},
		{"compiler is gone", t.Context(), good, "", gone, []string{"iree-compile", "; reinstall iree"}},
		{"stopped", stopped, good, "", in, []string{"good.mlir: the compiler was stopped: the time limit has passed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := executor.DescribeOptions{Cache: t.TempDir(), Options: map[string]string{optionCompileFlags: c.flags}}
			path, err := compile(c.ctx, c.path, o, c.in)
			if err == nil {
				t.Fatalf("made %s", path)
			}
			for _, want := range c.want {
				if !strings.Contains(remedy.Told(err, nil), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if files, err := filepath.Glob(filepath.Join(o.Cache, "iree", "*")); err != nil || files != nil {
				t.Errorf("left over: %v, %v", files, err)
			}
		})
	}
	if _, err := compile(t.Context(), good, executor.DescribeOptions{}, in); err == nil ||
		!strings.Contains(err.Error(), "cache") {
		t.Errorf("without a cache: %v", err)
	}
}

func TestCompileWarnings(t *testing.T) {
	in := compiler(t)
	quiet, loud := compiled(t, in, tinyModule, ""), compiled(t, in, scalarsModule, "")
	if text, err := compileWarnings(quiet); text != "" || err != nil {
		t.Errorf("a module without warnings has %q: %v", text, err)
	}
	// The compiler changes f64 to f32.
	if text, err := compileWarnings(loud); !strings.Contains(text, "changed public function signatures") || err != nil {
		t.Errorf("a module with warnings has %q: %v", text, err)
	}
	o := executor.DescribeOptions{Cache: t.TempDir()}
	source := writeSource(t, "loud.mlir", scalarsModule)
	for range 2 { // compiled, then found in the cache
		d, err := (Runtime{in}).Describe(source, o)
		if err != nil || len(d) != 1 || len(d[0].Warnings) == 0 ||
			!strings.Contains(d[0].Warnings[0], "loud.mlir: the compiler says:\nWARNING") {
			t.Errorf("described as %+v: %v", d, err)
		}
	}
}
