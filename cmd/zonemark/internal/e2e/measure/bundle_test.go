package measure

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/halide"
	"zonemark/driver/halide/adams2019"
	"zonemark/driver/setup/setuptest"
	"zonemark/executor/dl/dltest"
	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// originals is a folder with the files that a run names. They are gone when its bundle is measured again.
type originals struct {
	t      *testing.T
	folder string
}

func (o originals) in(name string) string { return filepath.Join(o.folder, name) }

// write writes a file and returns its path.
func (o originals) write(name string, text []byte) string {
	o.t.Helper()
	if err := os.WriteFile(o.in(name), text, 0o644); err != nil {
		o.t.Fatal(err)
	}
	return o.in(name)
}

// copy copies files and returns the path of the first copy.
func (o originals) copy(files ...string) string {
	o.t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			o.t.Fatal(err)
		}
		o.write(filepath.Base(file), text)
	}
	return o.in(filepath.Base(files[0]))
}

// array writes numbers as a .npy file and returns its path.
func (o originals) array(name string, numbers ...float32) string {
	o.t.Helper()
	a := halide.Array{Type: halide.Float32, Extents: []int{len(numbers)}}
	for _, x := range numbers {
		a.Data, _ = binary.Append(a.Data, binary.LittleEndian, x) // it fails for types without a size only
	}
	var text bytes.Buffer
	if err := a.WriteNPY(&text); err != nil {
		o.t.Fatal(err)
	}
	return o.write(name, text.Bytes())
}

// library compiles or links a shared library and returns its path.
func (o originals) library(name, from string, flags ...string) string {
	o.t.Helper()
	args := append([]string{"-shared", "-fPIC", "-o", o.in(name), from}, flags...)
	if said, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		o.t.Fatalf("%v\n%s", err, said)
	}
	return o.in(name)
}

// scale is a function of C that multiplies by a factor.
func scale(name, factor string) []byte {
	return []byte("void " + name + "(long n, const float x[n], float y[n])\n{\n" +
		"    for (long i = 0; i < n; i++) y[i] = " + factor + " * x[i];\n}\n")
}

// largeBundles are the bundles of what compilers and generators take seconds for. They are kept in the large size.
var largeBundles = []string{"single dispatches", "a module of IREE", "a generator and weights"}

// TestBundleElsewhere keeps runs of every kind of file that a suite or a command line can name, and measures them again
// where neither these files nor what was built of them are left.
func TestBundleElsewhere(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the shared libraries and the modules are for Linux on x86-64")
	}
	e2e.NeedsCompiler(t)
	for name, files := range map[string]func(o originals) []string{
		"C, its header, input and output": func(o originals) []string {
			o.write("scale.h", []byte("void scale(long n, const float x[n], float y[n]);\n"))
			return []string{o.write("scale.c", scale("scale", "2")), "--header", o.in("scale.h"), "--param", "n=2",
				"--input", "x=" + o.array("x.npy", 1, 2), "--expected-output", o.array("y.npy", 2, 4)}
		},
		"a package, its library, and what that loads": func(o originals) []string {
			text, err := os.ReadFile(e2e.Example(t, "matmul.hat"))
			if err != nil {
				o.t.Fatal(err)
			}
			o.library("libmore.so", o.write("more.c", nil))
			library := o.library("libmatmul.so", e2e.Example(t, "matmul.c"),
				"-Wl,--no-as-needed,-rpath,$ORIGIN", "-L"+o.folder, "-lmore")
			return []string{o.write("m.hat", bytes.ReplaceAll(text, []byte("matmul.c"), []byte(library)))}
		},
		"a group over packages": func(o originals) []string {
			o.write("a.c", scale("a", "2"))
			o.write("b.c", scale("b", "(1 + 1)"))
			return []string{o.write("suite.toml", []byte("[defaults]\ngroup = \"g\"\nparams = { n = 2 }\n"+
				"[[invocation]]\nartifact = \"a.c\"\n[[invocation]]\nartifact = \"b.c\"\n"))}
		},
		"single dispatches": func(o originals) []string {
			setuptest.IREE(o.t) // records how they are called
			return []string{o.copy(o.testdata("iree", "tiny.mlir")), "--mode", "dispatch",
				"--parameter-files", "model=" + o.write("w.irpa", nil)}
		},
		"single dispatches with their plan": func(o originals) []string {
			plan := o.testdata("iree", "tiny.dispatches.json")
			return []string{o.copy(o.testdata("iree", "tiny.vmfb"), plan), "--mode", "dispatch"}
		},
		"a module of IREE": func(o originals) []string {
			setuptest.IREE(o.t)
			return []string{o.copy(o.testdata("iree", "noop.mlir"))}
		},
		"a plugin, options of its compiler": func(o originals) []string {
			plugin := dltest.Compile(o.t, o.testdata("tt", "plugin.c"))
			program := o.write("p.stablehlo", []byte("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32>\n"))
			return []string{program, "--plugin", o.copy(plugin), "--compile-options-file",
				o.write("options.pb", pjrt.CompileOptions(1, nil)), "--input", o.array("x.npy", 1, 2),
				"--expected-output", o.array("y.npy", 1, 2)}
		},
		"a model": func(o originals) []string {
			e2e.PretendBench(o.t)
			return []string{o.write("suite.toml", []byte("[[invocation]]\nmodel = \"good:only\"\nruntime = \"tt\"\n"))}
		},
		"a simulator": func(o originals) []string {
			return []string{o.copy(e2e.Example(t, "tensix_add.elf")), "--simulator", o.copy(e2e.SimulatorStandIn(o.t))}
		},
		"a pipeline, its reference and its profile build": func(o originals) []string {
			o.pipelines()
			o.write("suite.toml", []byte("[[invocation]]\nartifact = \"own.so\"\nfunction = \"double\"\n"+
				"profile_build = \"profile.so\"\nverify.reference = \"other.so:double\"\n"))
			return []string{o.in("suite.toml")}
		},
		"a generator and weights": func(o originals) []string {
			scheduler := filepath.Join(setuptest.Halide(o.t).Folder, "lib64", "libautoschedule_adams2019.so")
			weights, err := adams2019.Baseline(scheduler)
			if err == nil {
				err = weights.Write(o.in("own.weights"))
			}
			if err != nil {
				o.t.Fatal(err)
			}
			return []string{o.copy(o.testdata("halide", "pipelines.py")), "--generator", "double",
				"--scheduler", "adams2019", "--weights", o.in("own.weights")}
		},
	} {
		if slices.Contains(largeBundles, name) && !testsize.Large() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := originals{t, t.TempDir()}
			bundle, home := filepath.Join(t.TempDir(), "bundle"), t.TempDir()
			at := func(folder, home string, args ...string) {
				t.Helper()
				cmd := e2e.Command(t, append(args, "-q")...)
				cmd.Dir, cmd.Env = folder, append(cmd.Env, "ZONEMARK_HOME="+home)
				if said, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%q: %v\n%s", args, err, said)
				}
			}
			args := []string{"run", "--launches", "1", "--max-time", "20ms", "--dispatches", "off", "--bundle", bundle}
			for _, arg := range files(o) {
				args = append(args, strings.ReplaceAll(arg, o.in("")+"/", "")) // relative, as users write them
			}
			at(o.folder, home, args...)
			for _, folder := range []string{o.folder, home} {
				if err := os.RemoveAll(folder); err != nil {
					t.Fatal(err)
				}
			}
			journal := filepath.Join(t.TempDir(), "journal")
			at(t.TempDir(), t.TempDir(), "replay", bundle, "--undecided-ok", "--margin", "0.9", "-o", journal)
			records := e2e.Recorded(t, journal)
			for name, r := range records {
				if r.Status != invocations.OK || r.MedianNS == nil {
					t.Errorf("%s: %s %s", name, r.Status, r.Error)
				}
			}
			if len(records) == 0 {
				t.Error("nothing was measured")
			}
		})
	}
}

// testdata returns the path of a file of a runtime's tests.
func (o originals) testdata(runtime, name string) string {
	return e2e.Top(o.t, "executor", runtime, "testdata", name)
}

// pipelines builds one pipeline of Halide's into three libraries: own.so, other.so and profile.so.
func (o originals) pipelines() {
	o.t.Helper()
	objects := setuptest.HalidePipelines(o.t, o.testdata("halide", "pipelines.py"),
		"-g double -f double -n plain target=host", "-g double -f double -n profile target=host-profile")
	if err := os.CopyFS(o.folder, os.DirFS(objects)); err != nil {
		o.t.Fatal(err)
	}
	for to, from := range map[string]string{"own.so": "plain.o", "other.so": "plain.o", "profile.so": "profile.o"} {
		o.library(to, o.in(from), "-lpthread", "-ldl", "-lm")
	}
}

// What a bundle cannot bring is refused by its name before anything is measured.
func TestBundleRefuses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("run paths are those of ELF files")
	}
	e2e.NeedsCompiler(t)
	o := originals{t, t.TempDir()}
	o.write("a.c", scale("a", "2"))
	o.library("libg.so", o.write("g.c", []byte("void g(void) {}\n")))
	o.library("fixed.so", o.in("a.c"), "-Wl,--no-as-needed,-rpath,"+o.folder, "-L"+o.folder, "-lg")
	o.write("table", nil)
	for _, c := range []struct{ artifact, keys, want string }{
		{"a.c", `sandbox_read = ["table"]`, "may read " + o.in("table") + " (sandbox_read)"},
		{"a.c", `sandbox_allow = ["table"]`, "may write " + o.in("table") + " (sandbox_allow)"},
		{"a.c", `cflags = "-DTABLE=` + o.in("table") + `"`, "the option cflags names " + o.in("table")},
		{"fixed.so", `prototype = "void a(long n, const float x[n], float y[n])"`,
			"fixed.so loads " + o.in("libg.so") + "; link it with the run path $ORIGIN"},
	} {
		suite := fmt.Sprintf("[[invocation]]\nartifact = %q\nparams = { n = 2 }\n%s\n", c.artifact, c.keys)
		path := o.write("suite.toml", []byte(suite))
		said := e2e.Runs(t, cli.ExitError, "run", path, "--bundle", o.in("bundle"))
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: %s, want %q in it", c.keys, said, c.want)
		}
	}
}
