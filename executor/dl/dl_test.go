//go:build !windows

package dl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// function returns the address of a function of a library.
func function(t testing.TB, l Library, name string) uintptr {
	t.Helper()
	at, err := l.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// compile builds a C source with the C compiler ($CC, else cc) and returns the path of the result.
func compile(t testing.TB, name, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	c, out := filepath.Join(dir, "source.c"), filepath.Join(dir, name)
	if err := os.WriteFile(c, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	args := append([]string{"-O1", "-o", out, c}, flags...)
	if msg, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", cc, strings.Join(args, " "), err, msg)
	}
	return out
}

const sumSource = `
#include <stdint.h>
uint64_t sum12(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
               uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l)
{ return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j + 11*k + 12*l; }
static int started;
__attribute__((constructor)) static void start(void) { started = 41; }
int begun(void) { return started + 1; }
`

func TestOpenLookupCallClose(t *testing.T) {
	l, err := Open(compile(t, "libsum.so", sumSource, "-shared", "-fPIC"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := l.Lookup("sum12")
	if err != nil {
		t.Fatal(err)
	}
	if got := Call(sum, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); got != 650 {
		t.Errorf("sum12 = %d, want 650", got)
	}
	begun, err := l.Lookup("begun")
	if err != nil {
		t.Fatal(err)
	}
	if got := Call(begun); got != 42 {
		t.Errorf("begun = %d, want 42: the constructor has not run", got)
	}
	for _, name := range []string{"no_such_symbol", "", "sum12\x00"} {
		_, err := l.Lookup(name)
		if err == nil {
			t.Errorf("Lookup(%q) found something", name)
			continue
		}
		named := strings.Contains(err.Error(), name) && strings.Contains(err.Error(), "libsum.so")
		if name == "no_such_symbol" && !named {
			t.Errorf("the error does not name symbol and library: %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err == nil {
		t.Error("closing twice gave no error")
	}
	if _, err := l.Lookup("sum12"); err == nil {
		t.Error("lookup in a closed library gave no error")
	}
}

func TestZeroLibrary(t *testing.T) {
	var l Library
	if _, err := l.Lookup("x"); err == nil {
		t.Error("lookup in the zero library gave no error")
	}
	if err := l.Close(); err == nil {
		t.Error("closing the zero library gave no error")
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(compile(t, "libsum.so", sumSource, "-shared", "-fPIC"))
	if err != nil {
		t.Fatal(err)
	}
	const undefinedSource = "int nowhere(void); int f(void) { return nowhere(); }"
	cases := []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.so"), "none.so"},
		{"no name", "", "not a file name"},
		{"zero byte in the name", "a\x00b", "not a file name"},
		{"folder", dir, "not a regular file"},
		{"empty", write("empty.so", nil), "the file is empty"},
		{"text", write("text.so", []byte("GROUP ( libc.so.6 )\n")), "not a shared library"},
		{"archive", write("lib.a", []byte("!<arch>\nwhatever")), "a static library"},
		{"undefined symbol", compile(t, "libundef.so", undefinedSource, "-shared", "-fPIC"), "nowhere"},
	}
	if strings.HasPrefix(string(whole), "\x7fELF") { // these cases need ELF files
		cases = append(cases, []struct{ name, path, want string }{
			{"cut off", write("cut.so", whole[:len(whole)/4]), "the file is cut off"},
			{"header only", write("head.so", whole[:100]), "the file is cut off"},
			{"other machine", write("other.so", patched(whole, 18, 21, 0)), "built for ppc64le, this machine is"},
			{"object file", compile(t, "sum.o", sumSource, "-c"), "an object file"},
		}...)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l, err := Open(c.path)
			if err == nil {
				l.Close()
				t.Fatal("opened")
			}
			namesPath := strings.ContainsRune(c.path, 0) || strings.Contains(err.Error(), c.path)
			if !strings.Contains(err.Error(), c.want) || !namesPath {
				t.Errorf("error %q does not name the path and %q", err, c.want)
			}
		})
	}
}

// patched returns a copy of b with the bytes at off replaced.
func patched(b []byte, off int, with ...byte) []byte {
	c := append([]byte(nil), b...)
	copy(c[off:], with)
	return c
}
