package elfimage

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"zonemark/executor/dl/dltest"
	"zonemark/invocations/testneeds"
)

// table is a C file with a table that points to names and to a function.
const table = `static const char first[] = "first", second[] = "second";
int answer(void) { return 42; }
struct entry { const char *name; int (*call)(void); long number; };
struct entry table[] = {{first, answer, 7}, {second, answer, 8}};
`

// compiled returns the file that a C compiler makes of the table.
func compiled(t testing.TB, flags ...string) []byte {
	t.Helper()
	cc := dltest.Compiler(t)
	folder := t.TempDir()
	source, out := filepath.Join(folder, "table.c"), filepath.Join(folder, "table")
	if err := os.WriteFile(source, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(cc, append(flags, "-fPIC", "-o", out, source)...).CombinedOutput(); err != nil {
		testneeds.Missing(t, fmt.Errorf("%w: %s", err, text)) // other systems have no ELF files, old linkers lack a flag
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Pointers of a table are found whatever relocations say them, in libraries and in object files.
func TestTable(t *testing.T) {
	for _, flags := range [][]string{
		{"-shared", "-nostdlib"}, {"-shared", "-nostdlib", "-Wl,-z,pack-relative-relocs"}, {"-c"},
		{"-shared", "-nostdlib", "-Wl,-Bsymbolic"},
	} {
		data := compiled(t, flags...)
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(f, data)
		if err != nil {
			t.Fatalf("%q: %v", flags, err)
		}
		const entryBytes = 24
		var at []uint64
		for _, place := range m.Pointers() {
			if text, found := m.Text(m.Pointer(place)); found && (text == "first" || text == "second") {
				at = append(at, place)
			}
		}
		if len(at) != 2 || at[1]-at[0] != entryBytes {
			t.Fatalf("%q: the names are at %#x", flags, at)
		}
		for i, entry := range at {
			if m.Word(entry) != m.Pointer(entry) || m.Word(entry+16) != uint64(7+i) || m.Pointer(entry+16) != 0 {
				t.Errorf("%q: entry %d is %#x, and its number %d", flags, i, m.Word(entry), m.Word(entry+16))
			}
			if call := m.Pointer(entry + 8); m.From(call) == nil || call != m.Pointer(at[0]+8) {
				t.Errorf("%q: entry %d calls %#x", flags, i, call)
			}
		}
		if m.Bytes(at[1], 1<<40) != nil || m.Word(1<<60) != 0 || m.From(1<<60) != nil {
			t.Errorf("%q: bytes that there are not", flags)
		}
	}
}

// What is no file that can be laid out is an error, and takes no more memory than the file justifies.
func FuzzNew(f *testing.F) {
	f.Add(compiled(f, "-shared", "-nostdlib", "-s"))
	f.Add(compiled(f, "-c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			return
		}
		m, err := New(file, data)
		if err != nil {
			return
		}
		for _, at := range m.Pointers() {
			if text, found := m.Text(m.Pointer(at)); found && len(text) >= maxText {
				t.Errorf("a text of %d bytes", len(text))
			}
		}
	})
}
