package hat

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func readTestdata(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// packageText returns a .hat file for this machine. functions is the TOML of the tables below [functions].
func packageText(linkTarget, functions string) string {
	system := runtime.GOOS
	if system == "darwin" {
		system = "macos"
	}
	return fmt.Sprintf(`#ifdef TOML
[description]
author = ""
version = ""
license_url = ""
[functions]
%s
[target.required]
os = %q
[target.required.CPU]
architecture = %q
extensions = []
[dependencies]
link_target = %q
deploy_files = []
dynamic = []
[compiled_with]
compiler = ""
flags = ""
crt = ""
libraries = []
[declaration]
code = ""
#endif
`, functions, system, runtime.GOARCH, linkTarget)
}

// function returns the TOML of a function. Each argument is the inside of an inline table.
func function(name, result string, arguments ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[functions.%s]\nname = %q\ncalling_convention = \"cdecl\"\narguments = [\n", name, name)
	for _, a := range arguments {
		fmt.Fprintf(&b, "  {%s},\n", a)
	}
	fmt.Fprintf(&b,
		"]\nreturn = {name = \"\", logical_type = \"element\", declared_type = %q, element_type = %q, usage = "+
			"\"output\"}\n", result, result)
	return b.String()
}

// affine, runtimeArray and element return arguments for function. The element type is the declared one without
// qualifiers.
func affine(name, declared, usage, layout string) string {
	return fmt.Sprintf(`name = %q, logical_type = "affine_array", declared_type = %q, element_type = %q, `+
		"usage = %q, %s",
		name, declared, base(declared), usage, layout)
}

func runtimeArray(name, declared, usage, size string) string {
	return fmt.Sprintf(`name = %q, logical_type = "runtime_array", declared_type = %q, element_type = %q, `+
		`usage = %q, size = %q`,
		name, declared, base(declared), usage, size)
}

func element(name, declared, usage string) string {
	return fmt.Sprintf(`name = %q, logical_type = "element", declared_type = %q, element_type = %q, usage = %q`, name,
		declared, base(declared), usage)
}

func base(declared string) string {
	return strings.TrimSpace(strings.NewReplacer("*", "", "const", "").Replace(declared))
}

// row returns the layout of a dense vector.
func row(n int) string { return fmt.Sprintf("shape = [%d], affine_map = [1], affine_offset = 0", n) }

// newPackage writes the library and a .hat file with the functions, and returns the path of the .hat file.
func newPackage(t testing.TB, code string, functions ...string) string {
	t.Helper()
	folder := t.TempDir()
	compile(t, folder, "lib.so", code)
	return write(t, folder, "test.hat", packageText("lib.so", strings.Join(functions, "\n")))
}

// load opens a package and closes it at the end of the test.
func load(t testing.TB, path string) executor.Program {
	t.Helper()
	p, err := Runtime{}.Load(invocations.Artifact{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// These are short names of package cfunctiontest.

func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	return cfunctiontest.Write(t, folder, name, text)
}

func cc(t testing.TB, folder string, arguments ...string) {
	t.Helper()
	cfunctiontest.CC(t, folder, arguments...)
}

func compile(t testing.TB, folder, name, code string) {
	t.Helper()
	cfunctiontest.Compile(t, folder, name, code)
}

func prepare(t testing.TB, p executor.Program, inv *invocations.Invocation, setBytes int64) *executor.Call {
	t.Helper()
	return cfunctiontest.Prepare(t, p, inv, setBytes)
}

func run(t testing.TB, call *executor.Call, calls int) {
	t.Helper()
	cfunctiontest.Run(t, call, calls)
}

func firstSet[T any](call *executor.Call, offset, n int) []T {
	return cfunctiontest.FirstSet[T](call, offset, n)
}

func input(name, contents string) invocations.Argument { return cfunctiontest.Input(name, contents) }
