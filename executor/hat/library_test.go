package hat

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
	"zonemark/executor"
)

// elfHeader is a shared library's header with nothing behind it.
func elfHeader(machine elf.Machine) []byte {
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: 1, Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, h)
	return b.Bytes()
}

// archive holds the members, the first of which is a symbol table as real archives have it.
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
	machO := []byte{0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
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
		l, err := inspect(bytes.NewReader(c.data))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one that says %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || l.system != c.system || l.architecture != c.architecture {
			t.Errorf("%s: %+v, %v; want %s/%s", c.name, l, err, c.system, c.architecture)
		}
	}
}

// TestLibraryForAnotherMachine holds that a package whose library does not fit is skipped with the reason, and not a crash of the loader.
func TestLibraryForAnotherMachine(t *testing.T) {
	other, name := elf.EM_AARCH64, "arm64"
	if runtime.GOARCH == "arm64" {
		other, name = elf.EM_X86_64, "amd64"
	}
	folder := t.TempDir()
	path := write(t, folder, "x.hat", packageText("lib.so", function("g", "void")))
	if err := os.WriteFile(filepath.Join(folder, "lib.so"), elfHeader(other), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Runtime{}.Describe(path, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if skip := d[0].Functions[0].Skip; !strings.Contains(skip, "lib.so is for") || runtime.GOOS == "linux" && !strings.Contains(skip, name) {
		t.Errorf("skipped for %q", skip)
	}
}

func TestSymbolsOfARealLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("symbols are read from ELF files only")
	}
	folder := t.TempDir()
	compile(t, folder, "lib.so", "void run_fast(void) {}\nvoid (*run)(void) = run_fast;\nstatic void hidden(void) {}\nvoid (*keep)(void) = hidden;\nextern void absent(void); void use(void) {absent();}\n")
	l, err := inspectLibrary(filepath.Join(folder, "lib.so"))
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
		if got := l.problem(symbol); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add(elfHeader(elf.EM_X86_64))
	f.Add(archive(elfHeader(elf.EM_AARCH64), []byte("x")))
	f.Add([]byte("MZ"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := inspect(bytes.NewReader(data)); err == nil {
			l.problem("symbol")
		}
	})
}
