package dl

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

// elfHeader returns the start of an ELF file.
func elfHeader(class elf.Class, data elf.Data, kind elf.Type, machine elf.Machine) []byte {
	h := make([]byte, headerBytes)
	copy(h, elf.ELFMAG)
	h[elf.EI_CLASS], h[elf.EI_DATA] = byte(class), byte(data)
	order := binary.ByteOrder(binary.LittleEndian)
	if data == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	order.PutUint16(h[16:], uint16(kind))
	order.PutUint16(h[18:], uint16(machine))
	return h
}

func TestDescribe(t *testing.T) {
	so := func(m elf.Machine) []byte { return elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.ET_DYN, m) }
	for _, c := range []struct {
		name         string
		head         []byte
		goos, goarch string
		want         string
	}{
		{"fits", so(elf.EM_X86_64), "linux", "amd64", ""},
		{"arm on intel", so(elf.EM_AARCH64), "linux", "amd64", "built for aarch64, this machine is x86_64"},
		{"intel on arm", so(elf.EM_X86_64), "linux", "arm64", "built for x86_64, this machine is aarch64"},
		{"hexagon", elfHeader(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.ET_DYN, elf.EM_QDSP6), "linux", "amd64",
			"built for hexagon, this machine is x86_64"},
		{"x32", elfHeader(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.ET_DYN, elf.EM_X86_64), "linux", "amd64",
			"built for x86_64 with 32-bit pointers (x32), this machine is x86_64"},
		{"32 bit", elfHeader(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.ET_DYN, elf.EM_386), "linux", "amd64",
			"built for i386, this machine is x86_64"},
		{"big endian", elfHeader(elf.ELFCLASS64, elf.ELFDATA2MSB, elf.ET_DYN, elf.EM_PPC64), "linux", "ppc64le",
			"built for ppc64, this machine is ppc64le"},
		{"unnamed machine", so(60000), "linux", "amd64", "built for ELF machine 60000, this machine is x86_64"},
		{"other named machine", so(elf.EM_SPARCV9), "linux", "amd64", "built for sparcv9, this machine is x86_64"},
		{"executable", elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.ET_EXEC, elf.EM_X86_64), "linux", "amd64",
			"an executable, not a shared library"},
		{"core", elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.ET_CORE, elf.EM_X86_64), "linux", "amd64",
			"an ELF file of type 4, not a shared library"},
		{"short", []byte(elf.ELFMAG), "linux", "amd64", "the ELF header is cut off"},
		{"linux on mac", so(elf.EM_AARCH64), "darwin", "arm64", "file format ELF, this system loads Mach-O"},
		{"windows on linux", []byte("MZ\x90"), "linux", "amd64", "file format PE, this system loads ELF"},
		{"mac on linux", []byte("\xcf\xfa\xed\xfe"), "linux", "amd64", "file format Mach-O, this system loads ELF"},
	} {
		if got := describe(c.head, c.goos, c.goarch); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzFormat(f *testing.F) {
	h := elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.ET_DYN, elf.EM_X86_64)
	f.Add([]byte{})
	f.Add([]byte("!<arch>\n"))
	f.Add([]byte("MZ"))
	f.Add(h)
	binary.LittleEndian.PutUint64(h[32:], 64)
	binary.LittleEndian.PutUint16(h[54:], 56)
	binary.LittleEndian.PutUint16(h[56:], 2)
	f.Add(append(h, make([]byte, 112)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, arch := range []string{"amd64", "arm64", "s390x", "wasm"} {
			describe(b[:min(len(b), headerBytes)], "linux", arch)
		}
		got := missingBytes(bytes.NewReader(b), int64(len(b)))
		if got != "" && !strings.HasPrefix(got, "the file is cut off") {
			t.Errorf("unexpected %q", got)
		}
		if got != "" && len(b) < headerBytes {
			t.Errorf("judged %d bytes: %q", len(b), got)
		}
	})
}

func TestArchitecture(t *testing.T) {
	for m, want := range map[elf.Machine]string{
		elf.EM_X86_64:  "amd64",
		elf.EM_AARCH64: "arm64",
		elf.EM_386:     "386",
		elf.EM_ARM:     "arm",
		elf.EM_RISCV:   "riscv64",
		elf.EM_PPC64:   "ppc64le",
		elf.EM_QDSP6:   "qdsp6",
	} {
		if got := Architecture(m); got != want {
			t.Errorf("%v: %s, want %s", m, got, want)
		}
	}
}
