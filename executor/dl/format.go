package dl

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// headerBytes is how much of a file describe reads.
const headerBytes = 64

// unsuitable returns why the file at path cannot be loaded on this machine, or "" if its first bytes do not show it.
// For a library of another machine, loaders only report "no such file" or "invalid header".
func unsuitable(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return "" // perhaps a name that the loader searches for elsewhere
	}
	if !st.Mode().IsRegular() {
		return "not a regular file"
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, headerBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return ""
	}
	return describe(head[:n], runtime.GOOS, runtime.GOARCH)
}

// describe returns why a file that starts with head is not a shared library for the system and architecture, in Go's
// names, or "" if the header fits. Sources: System V ABI "ELF Header", Mach-O loader.h, the ar and PE formats.
func describe(head []byte, goos, goarch string) string {
	native := "ELF"
	switch goos {
	case "darwin":
		native = "Mach-O"
	case "windows":
		native = "PE"
	}
	format := "unknown"
	switch {
	case len(head) == 0:
		return "the file is empty"
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		format = "ELF"
	case bytes.HasPrefix(head, []byte("!<arch>\n")), bytes.HasPrefix(head, []byte("!<thin>\n")):
		return "a static library: link it into a shared one first"
	case bytes.HasPrefix(head, []byte("MZ")):
		format = "PE"
	case bytes.HasPrefix(head, []byte("\xcf\xfa\xed\xfe")), bytes.HasPrefix(head, []byte("\xca\xfe\xba\xbe")):
		format = "Mach-O"
	}
	switch {
	case format == "unknown":
		return "not a shared library"
	case format != native:
		return fmt.Sprintf("file format %s, this system loads %s", format, native)
	case format == "ELF":
		return describeELF(head, goarch)
	}
	return ""
}

func describeELF(head []byte, goarch string) string {
	if len(head) < 20 {
		return "the ELF header is cut off"
	}
	class, order := elf.Class(head[elf.EI_CLASS]), binary.ByteOrder(binary.LittleEndian)
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	kind, machine := elf.Type(order.Uint16(head[16:])), elf.Machine(order.Uint16(head[18:]))
	here, known := machines[goarch]
	switch {
	case known && (machine != here.machine || class != here.class || order != here.order):
		return fmt.Sprintf("built for %s, this machine is %s",
			machineName(machine, class, order), machineName(here.machine, here.class, here.order))
	case kind == elf.ET_REL:
		return "an object file: link it with -shared first"
	case kind == elf.ET_EXEC:
		return "an executable, not a shared library"
	case kind != elf.ET_DYN:
		return fmt.Sprintf("an ELF file of type %d, not a shared library", kind)
	}
	return ""
}

// Architecture returns Go's name of an ELF machine, such as "amd64". "386" and "arm" have 32 bits, all others that Go
// knows have 64. For a machine that Go does not know, it returns ELF's own name in lower case.
func Architecture(m elf.Machine) string {
	for name, a := range machines {
		if a.machine == m {
			return name
		}
	}
	return strings.ToLower(strings.TrimPrefix(m.String(), "EM_"))
}

type architecture struct {
	machine elf.Machine
	class   elf.Class
	order   binary.ByteOrder
}

var machines = map[string]architecture{
	"amd64":   {elf.EM_X86_64, elf.ELFCLASS64, binary.LittleEndian},
	"arm64":   {elf.EM_AARCH64, elf.ELFCLASS64, binary.LittleEndian},
	"386":     {elf.EM_386, elf.ELFCLASS32, binary.LittleEndian},
	"arm":     {elf.EM_ARM, elf.ELFCLASS32, binary.LittleEndian},
	"riscv64": {elf.EM_RISCV, elf.ELFCLASS64, binary.LittleEndian},
	"loong64": {elf.EM_LOONGARCH, elf.ELFCLASS64, binary.LittleEndian},
	"ppc64le": {elf.EM_PPC64, elf.ELFCLASS64, binary.LittleEndian},
	"s390x":   {elf.EM_S390, elf.ELFCLASS64, binary.BigEndian},
}

// machineName returns the name that uname -m uses, if there is one.
func machineName(m elf.Machine, class elf.Class, order binary.ByteOrder) string {
	wide, big := class == elf.ELFCLASS64, order == binary.ByteOrder(binary.BigEndian)
	switch {
	case m == elf.EM_X86_64 && wide:
		return "x86_64"
	case m == elf.EM_X86_64:
		return "x86_64 with 32-bit pointers (x32)"
	case m == elf.EM_AARCH64 && big:
		return "aarch64_be"
	case m == elf.EM_AARCH64:
		return "aarch64"
	case m == elf.EM_386:
		return "i386"
	case m == elf.EM_RISCV && wide:
		return "riscv64"
	case m == elf.EM_RISCV:
		return "riscv32"
	case m == elf.EM_PPC64 && big:
		return "ppc64"
	case m == elf.EM_PPC64:
		return "ppc64le"
	case m == elf.EM_S390 && wide:
		return "s390x"
	case m == elf.EM_LOONGARCH && wide:
		return "loongarch64"
	case m == elf.EM_QDSP6:
		return "hexagon"
	}
	// For an unknown machine, String returns the nearest known one and the distance, "EM_X+5".
	if name := m.String(); strings.HasPrefix(name, "EM_") && !strings.Contains(name, "+") {
		return strings.ToLower(strings.TrimPrefix(name, "EM_"))
	}
	return fmt.Sprintf("ELF machine %d", uint16(m))
}

// truncation returns a text if an ELF file ends before the segments that its program headers describe. It leaves
// anything else to the loader.
func truncation(path string) string {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return "" // opening a pipe would wait for a writer
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	return missingBytes(f, st.Size())
}

func missingBytes(r io.ReaderAt, size int64) string {
	const phoff, phentsize, phnum, entryBytes = 32, 54, 56, 56 // fields of Elf64_Ehdr, size of Elf64_Phdr
	head := make([]byte, headerBytes)
	if n, _ := r.ReadAt(head, 0); n < headerBytes || !bytes.HasPrefix(head, []byte(elf.ELFMAG)) ||
		elf.Class(head[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(head[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return ""
	}
	le := binary.LittleEndian
	at, count := le.Uint64(head[phoff:]), int(le.Uint16(head[phnum:]))
	if at > uint64(size) || le.Uint16(head[phentsize:]) != entryBytes {
		return "" // the loader refuses headers at a wrong place or of a wrong size
	}
	entry := make([]byte, entryBytes) // p_type 0, p_offset 8, p_filesz 32
	for i := range count {
		if _, err := r.ReadAt(entry, int64(at)+int64(i)*entryBytes); err != nil {
			return fmt.Sprintf("the file is cut off: program header %d lies beyond its end at byte %d", i, size)
		}
		off, n := le.Uint64(entry[8:]), le.Uint64(entry[32:])
		if elf.ProgType(le.Uint32(entry)) == elf.PT_LOAD && (off > uint64(size) || n > uint64(size)-off) {
			return fmt.Sprintf("the file is cut off: it has %d bytes, its segment %d needs %d at byte %d",
				size, i, n, off)
		}
	}
	return ""
}
