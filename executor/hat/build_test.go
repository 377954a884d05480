package hat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/exports"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// staticPackage returns a package whose library is an archive with two members, or a single object.
func staticPackage(t *testing.T, target string) string {
	t.Helper()
	folder := t.TempDir()
	if filepath.Ext(target) == ".o" {
		write(t, folder, "one.c", "void f(float* out) { out[0] = 2; }\n")
		cc(t, folder, "-O1", "-fPIC", "-c", "-o", target, "one.c")
	} else {
		write(t, folder, "one.c", "float two(void);\nvoid f(float* out) { out[0] = two(); }\n")
		write(t, folder, "two.c", "#include <math.h>\nfloat two(void) { volatile float x = 4; return sqrtf(x); }\n")
		cc(t, folder, "-O1", "-fPIC", "-c", "one.c", "two.c")
		cmd := exec.Command("ar", "rcs", target, "one.o", "two.o")
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("ar: %v\n%s", err, out)
		}
	}
	return write(t, folder, "static.hat",
		packageText(target, function("f", "void", affine("out", "float*", "output", row(1)))))
}

func build(path, cache string) (string, error) {
	return Runtime{Getenv: os.Getenv}.Build(context.Background(), invocations.Artifact{Path: path},
		building.Workshop{Cache: cache})
}

func TestBuildLinksStaticCode(t *testing.T) {
	for _, target := range []string{"lib.a", "lib.o"} {
		path, cache := staticPackage(t, target), t.TempDir()
		d, err := Runtime{}.Describe(path, executor.DescribeOptions{})
		if err != nil || !d[0].NeedsBuild || d[0].Functions[0].Skip != "" {
			t.Fatalf("%s: described as %+v, %v", target, d, err)
		}
		built, err := build(path, cache)
		if err != nil {
			t.Fatal(err)
		}
		if rel, err := filepath.Rel(cache, built); err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("built outside of the cache: %s", built)
		}
		program, err := Runtime{}.Load(invocations.Artifact{Path: path, Built: built})
		if err != nil {
			t.Fatal(err)
		}
		call := prepare(t, program, &invocations.Invocation{Function: "f"}, 0)
		run(t, call, 1)
		if got := firstSet[float32](call, 0, 1)[0]; got != 2 {
			t.Errorf("%s: f gives %v, want 2", target, got)
		}
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestBuildIsCachedByContent(t *testing.T) {
	path, cache := staticPackage(t, "lib.o"), t.TempDir()
	first, err := build(path, cache)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	// This changes the .hat file, not the code.
	if err := StoreDurations(path, same(map[string]float64{"f": 1})); err != nil {
		t.Fatal(err)
	}
	again, err := build(path, cache)
	if after, _ := os.Stat(first); err != nil || again != first || !os.SameFile(before, after) {
		t.Errorf("linked again into %s, %v", again, err)
	}
	// Somebody puts a stub in the library's place, which would be measured.
	if err := os.WriteFile(first, []byte("a stub"), 0o666); err != nil {
		t.Fatal(err)
	}
	if again, err := build(path, cache); err != nil || again != first {
		t.Fatalf("linked again into %s, %v", again, err)
	}
	if _, err := exports.InspectFile(first); err != nil {
		t.Errorf("a damaged library is taken from the cache: %v", err)
	}
	folder := filepath.Dir(path)
	write(t, folder, "one.c", "void f(float* out) { out[0] = 3; }\n")
	cc(t, folder, "-O1", "-fPIC", "-c", "-o", "lib.o", "one.c")
	if other, err := build(path, cache); err != nil || other == first {
		t.Errorf("new code has the old name %s, %v", other, err)
	}
}

func TestBuildsSideBySide(t *testing.T) {
	path, cache := staticPackage(t, "lib.a"), t.TempDir()
	var wait sync.WaitGroup
	results := make([]string, 4)
	for i := range results {
		wait.Go(func() {
			built, err := build(path, cache)
			if err != nil {
				t.Error(err)
			}
			results[i] = built
		})
	}
	wait.Wait()
	entries, err := os.ReadDir(filepath.Join(cache, "hat"))
	if err != nil || len(entries) != 2 {
		t.Errorf("the cache holds %v, %v; want the library and its hash", entries, err)
	}
	if _, err := exports.InspectFile(results[0]); err != nil {
		t.Error(err)
	}
}

func TestBuildErrors(t *testing.T) {
	undefined := func(t *testing.T) string {
		folder := t.TempDir()
		write(t, folder, "x.c", "void absent(void);\nvoid f(void) { absent(); }\n")
		cc(t, folder, "-fPIC", "-c", "-o", "lib.o", "x.c")
		return write(t, folder, "x.hat", packageText("lib.o", function("f", "void")))
	}
	for _, c := range []struct {
		name    string
		path    func(t *testing.T) string
		cc      string
		want    string
		onLinux bool
	}{
		{"undefined symbol", undefined, "", "dependencies.dynamic", true},
		{"damaged archive", func(t *testing.T) string {
			folder := t.TempDir()
			write(t, folder, "lib.a", "no archive at all")
			return write(t, folder, "x.hat", packageText("lib.a", function("f", "void")))
		}, "", "link lib.a", false},
		{"missing archive", func(t *testing.T) string {
			return write(t, t.TempDir(), "x.hat", packageText("lib.a", function("f", "void")))
		}, "", "build it or correct", false},
		{"sources only", func(t *testing.T) string {
			return write(t, t.TempDir(), "x.hat", readTestdata(t, "acccuda.hat"))
		}, "", "nothing to link", false},
		{"compiler that is not there", undefined, "no-such-compiler -O2", "correct CC", false},
		{"compiler that fails", undefined, "false", "set CC", false},
	} {
		if c.onLinux && runtime.GOOS != "linux" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			path := c.path(t)
			t.Setenv("CC", c.cc)
			cache := t.TempDir()
			_, err := build(path, cache)
			if err == nil || !strings.Contains(remedy.Told(err, nil), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one that names the package and says %q", err, c.want)
			}
			if entries, _ := os.ReadDir(filepath.Join(cache, "hat")); len(entries) != 0 {
				t.Errorf("the cache holds %v after a failure", entries)
			}
		})
	}
	t.Run("no compiler", func(t *testing.T) {
		path := undefined(t)
		t.Setenv("CC", "")
		t.Setenv("PATH", t.TempDir())
		if _, err := build(path, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no C compiler was found") {
			t.Errorf("error %v", err)
		}
	})
}

func TestLinkFlags(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "needed.so", "")
	p := &Package{Path: filepath.Join(folder, "x.hat")}
	p.Target.Required.CPU.Runtime = "openmp"
	p.Depends.Dynamic = []SharedLibrary{{Name: "blas"}, {Name: "gomp", TargetFile: "libgomp.so.1"},
		{Name: "needed", TargetFile: "needed.so"}, {}}
	for _, c := range []struct{ system, input, want string }{
		{"linux", "lib.a",
			"-Wl,-z,defs -Wl,--whole-archive lib.a -Wl,--no-whole-archive -lblas -l:libgomp.so.1 FOLDER/needed.so " +
				"-Wl,-rpath,FOLDER -fopenmp -lm -lc"},
		{"linux", "lib.o",
			"-Wl,-z,defs lib.o -lblas -l:libgomp.so.1 FOLDER/needed.so -Wl,-rpath,FOLDER -fopenmp -lm -lc"},
		{"darwin", "lib.a",
			"-Wl,-force_load,lib.a -lblas libgomp.so.1 FOLDER/needed.so -Wl,-rpath,FOLDER -fopenmp -lm"},
	} {
		flags, err := p.linkFlags(c.system, c.input)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.Join(flags, " "), folder, "FOLDER")
		if got = filepath.ToSlash(got); got != c.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.system, c.input, got, c.want)
		}
	}
}

// What a package has the compiler and the linker do is what changes code. Flags, names of files and paths that do more
// are refused, before a compiler is started.
func TestPackagesBringNoCode(t *testing.T) {
	for _, c := range []struct{ target, flags, dynamic, want string }{
		{"k.c", "-fcompare-debug=-fplugin=x.so", "", `compiled_with.flags: the flag "-fcompare-debug=-fplugin=x.so"`},
		{"k.c", "-O2 -fopt-info-all=x", "", `compiled_with.flags: the flag "-fopt-info-all=x"`},
		{"k.c", "@flags", "", `compiled_with.flags: the flag "@flags"`},
		{"k.c", "-Iinclude", "", `the source of a package is one file`},
		{"-fplugin=x.c", "", "", `dependencies.link_target: "-fplugin=x.c"`},
		{"@x.c", "", "", `dependencies.link_target: "@x.c"`},
		{"k.o", "", `{name = "lib", target_file = "a,-plugin,./k.o,-rpath,x/lib.so"}`, `dependencies.dynamic: "a,-plugin`},
		{"k.o", "", `{name = "lib", target_file = "-plugin=k.o"}`, `dependencies.dynamic: "-plugin=k.o"`},
		{"k.o", "", `{name = "lib", target_file = "../x/lib.so"}`, `dependencies.dynamic: "../x/lib.so"`},
		{"k.o", "", `{name = "x,-plugin,./k.o"}`, `dependencies.dynamic: "x,-plugin,./k.o"`},
		{"k.o", "", `{name = "x\n"}`, `dependencies.dynamic: "x\n"`},
	} {
		folder := t.TempDir()
		write(t, folder, c.target, "void f(float* out) { out[0] = 3; }\n")
		attacked := filepath.Join(folder, "a,-plugin,.", "k.o,-rpath,x")
		if err := os.MkdirAll(attacked, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, attacked, "lib.so", "")
		text := strings.Replace(packageText(c.target, function("f", "void", affine("out", "float*", "output", row(1)))),
			"dynamic = []", "dynamic = ["+c.dynamic+"]", 1)
		text = strings.Replace(text, `flags = ""`, fmt.Sprintf("flags = %q", c.flags), 1)
		path, cache := write(t, folder, "x.hat", text), t.TempDir()
		if _, err := build(path, cache); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%+v: error %v", c, err)
		}
		if made, err := os.ReadDir(cache); len(made) > 0 || err != nil {
			t.Errorf("%+v: made %v, %v", c, made, err)
		}
	}
}

func TestBuildStopsWithItsContext(t *testing.T) {
	path := staticPackage(t, "lib.o")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := (Runtime{}).Build(ctx, invocations.Artifact{Path: path}, building.Workshop{Cache: t.TempDir()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestDynamicDependency links against a library beside the package and loads it through its path there.
func TestDynamicDependency(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the run path is written the way of ELF linkers")
	}
	folder := t.TempDir()
	write(t, folder, "needed.c", "float seven(void) { return 7; }\n")
	cc(t, folder, "-shared", "-fPIC", "-Wl,-soname,libneeded.so", "-o", "libneeded.so", "needed.c")
	write(t, folder, "x.c", "float seven(void);\nvoid f(float* out) { out[0] = seven(); }\n")
	cc(t, folder, "-fPIC", "-c", "-o", "lib.o", "x.c")
	// The library asks for libneeded.so, but not for its folder.
	cc(t, folder, "-shared", "-o", "named.so", "lib.o", "-L.", "-lneeded")
	needed := `dynamic = [{name = "needed", version = "", target_file = "libneeded.so"}]`
	for _, target := range []string{"lib.o", "named.so"} {
		text := strings.Replace(packageText(target, function("f", "void", affine("out", "float*", "output", row(1)))),
			"dynamic = []", needed, 1)
		path := write(t, folder, "x.hat", text)
		built, err := build(path, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		program, err := Runtime{}.Load(invocations.Artifact{Path: path, Built: built})
		if err != nil {
			t.Fatal(err)
		}
		call := prepare(t, program, &invocations.Invocation{Function: "f"}, 0)
		run(t, call, 1)
		if got := firstSet[float32](call, 0, 1)[0]; got != 7 {
			t.Errorf("%s: f gives %v, want 7", target, got)
		}
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	}
}
