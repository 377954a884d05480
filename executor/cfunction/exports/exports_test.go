package exports

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/executor/dl/dltest"
)

// elfHeader returns the header of a shared library with nothing behind it.
func elfHeader(machine elf.Machine) []byte {
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: 1, Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	h.Ident[elf.EI_VERSION] = 1
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, h)
	return b.Bytes()
}

// archive returns an archive of the members, preceded by a symbol table as in real archives.
func archive(members ...[]byte) []byte {
	b := bytes.NewBufferString(archiveMagic)
	for i, m := range append([][]byte{{0, 0, 0}}, members...) {
		fmt.Fprintf(b, "%-48s%-10d`\n", fmt.Sprintf("m%d/", i), len(m))
		b.Write(m)
		if len(m)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func TestInspect(t *testing.T) {
	machO := []byte{0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0}
	for _, c := range []struct {
		name                 string
		data                 []byte
		system, architecture string
		err                  string
	}{
		{"amd64", elfHeader(elf.EM_X86_64), "linux", "amd64", ""},
		{"arm64", elfHeader(elf.EM_AARCH64), "linux", "arm64", ""},
		{"a DSP", elfHeader(elf.EM_QDSP6), "linux", "qdsp6", ""},
		{"archive", archive(elfHeader(elf.EM_AARCH64)), "linux", "arm64", ""},
		{"archive without objects", archive([]byte("text!")), "", "", ""},
		{"damaged archive", append(archive(), bytes.Repeat([]byte{'x'}, 60)...), "", "", "damaged"},
		{"Mach-O", machO, "darwin", "arm64", ""},
		{"Mach-O in an archive", archive(machO), "darwin", "arm64", ""},
		{"empty", nil, "", "", "no ELF"},
		{"text", []byte("GROUP ( libc.so.6 )"), "", "", "no ELF"},
		{"cut off", elfHeader(elf.EM_X86_64)[:40], "", "", "EOF"},
	} {
		l, err := Inspect(bytes.NewReader(c.data))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one that says %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || l.System != c.system || l.Architecture != c.architecture {
			t.Errorf("%s: %+v, %v; want %s/%s", c.name, l, err, c.system, c.architecture)
		}
	}
}

func TestSymbolsOfARealLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("symbols are read from ELF files only")
	}
	source := filepath.Join(t.TempDir(), "lib.c")
	code := []byte("void run_fast(void) {}\nvoid (*run)(void) = run_fast;\nstatic void hidden(void) {}\n" +
		"void (*keep)(void) = hidden;\nextern void absent(void); void use(void) {absent();}\n")
	if err := os.WriteFile(source, code, 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := InspectFile(dltest.Compile(t, source))
	if err != nil {
		t.Fatal(err)
	}
	for symbol, want := range map[string]string{
		"run_fast": "",
		"run":      "run is a variable in the library, not a function; did you mean \"run_fast\"?",
		"run_fats": "the library exports no function run_fats; did you mean \"run_fast\"?",
		"hidden":   "the library exports no function hidden",
		"absent":   "the library exports no function absent",
	} {
		if got := l.Problem(symbol); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add(elfHeader(elf.EM_X86_64))
	f.Add(archive(elfHeader(elf.EM_AARCH64), []byte("x")))
	f.Add([]byte("MZ"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := Inspect(bytes.NewReader(data)); err == nil {
			l.Problem("symbol")
		}
	})
}
