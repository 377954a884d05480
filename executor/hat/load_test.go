package hat

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

// TestExactNames checks that a function is never taken for another whose name starts the same way.
func TestExactNames(t *testing.T) {
	folder := t.TempDir()
	compile(t, folder, "libp.so", readTestdata(t, "p.c"))
	text := strings.Replace(readTestdata(t, "p.hat"), `"x86_64"`, `"`+runtime.GOARCH+`"`, 1)
	program := load(t, write(t, folder, "p.hat", strings.Replace(text, `os = "linux"`, `os = ""`, 1)))
	arguments := []invocations.Argument{input("c", "5")}
	for name, want := range map[string]float32{"gemm": 1, "gemm_slow": 5} {
		call := prepare(t, program, &invocations.Invocation{Function: name, Arguments: arguments}, 0)
		run(t, call, 1)
		if got := firstSet[float32](call, 512, 1)[0]; got != want {
			t.Errorf("%s leaves %v in c[0], want %v: another function was called", name, got, want)
		}
	}
	_, err := program.Prepare(&invocations.Invocation{Function: "gem"}, 0)
	if err == nil || !strings.Contains(err.Error(), "did you mean \"gemm\"") {
		t.Errorf("gem: %v", err)
	}
}

func TestInitializeIsCalledOnce(t *testing.T) {
	program := load(t, newPackage(t, `static int ready;
static float* kept;
void Pkg_Initialize(float* table) { ready++; kept = table; table[0] = 7; }
void f(float* out) { out[0] = ready; out[1] = kept[0]; }
`, function("f", "void", affine("out", "float*", "output", row(2))),
		function("Pkg_Initialize", "void", affine("table", "float*", "output", row(4)))))
	for range 2 {
		call := prepare(t, program, &invocations.Invocation{Function: "f"}, 0)
		run(t, call, 1)
		if got := firstSet[float32](call, 0, 2); got[0] != 1 || got[1] != 7 {
			t.Errorf("set up %v times, table starts with %v", got[0], got[1])
		}
	}
}

func TestFailedSetUpFailsEveryFunction(t *testing.T) {
	program := load(t, newPackage(t, "void f(void) {}\n", function("Pkg_Initialize", "void"), function("f", "void")))
	for range 2 {
		_, err := program.Prepare(&invocations.Invocation{Function: "f"}, 0)
		if err == nil || !strings.Contains(err.Error(), "set-up function Pkg_Initialize") {
			t.Errorf("error %v", err)
		}
	}
}

func TestUnsupportedPackages(t *testing.T) {
	folder := t.TempDir()
	var unsupported *executor.UnsupportedError
	gpu := write(t, folder, "acccuda.hat", readTestdata(t, "acccuda.hat"))
	_, err := (Runtime{}).Load(invocations.Artifact{Path: gpu})
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "CUDA") {
		t.Errorf("error %v, want an *executor.UnsupportedError that names CUDA", err)
	}
	compile(t, folder, "lib.so", "void g(void) {}\n")
	device := strings.Replace(function("g", "void"), "cdecl", "devicecall", 1)
	program := load(t, write(t, folder, "device.hat", packageText("lib.so", device)))
	_, err = program.Prepare(&invocations.Invocation{Function: "g"}, 0)
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "GPU") {
		t.Errorf("device function: %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "text.so", "GROUP ( libc.so.6 )")
	for _, c := range []struct{ name, target, want string }{
		{"no library", "text.so", "no ELF"},
		{"missing library", "none.so", "none.so is missing beside the package"},
		{"static library that was not linked", "lib.a", "build the artifact first"},
	} {
		path := write(t, folder, "x.hat", packageText(c.target, function("g", "void")))
		if c.target == "lib.a" {
			if err := os.WriteFile(filepath.Join(folder, "lib.a"), []byte("!<arch>\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := (Runtime{}).Load(invocations.Artifact{Path: path})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one that names the package and says %q", c.name, err, c.want)
		}
	}
}
