// Package exports reads what the headers of native libraries state, without loading them: ELF, Mach-O and PE files, and
// archives of objects. It knows the system, the architecture and the exported names, and not what calls them.
package exports

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/dl"
	"zonemark/invocations/spelling"
)

// Library holds what the header of a native library states.
type Library struct {
	System       string // Go's name of the operating system; empty if the file does not state it
	Architecture string // Go's name, or the format's own if Go has none; empty if unknown

	symbols map[string]bool // exported names: true for code, false for data; nil if not read
}

// errNotALibrary reports a file in no format that this package knows.
var errNotALibrary = errors.New("it is no ELF, Mach-O or PE library and no archive of objects")

// InspectFile reads the header of the file at path.
func InspectFile(path string) (Library, error) {
	f, err := os.Open(path)
	if err != nil {
		return Library{}, err
	}
	defer f.Close()
	l, err := Inspect(f)
	if err != nil {
		return Library{}, fmt.Errorf("library %s: %w; build it again", path, err)
	}
	return l, nil
}

// Inspect reads the header of a library. It recognizes the format by the first bytes.
func Inspect(r io.ReaderAt) (Library, error) {
	head := make([]byte, 8)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Library{}, err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return inspectELF(r)
	case bytes.HasPrefix(head, []byte("MZ")):
		return inspectPE(r)
	case string(head) == archiveMagic:
		return inspectArchive(r)
	case isMachO(head):
		return inspectMachO(r)
	}
	return Library{}, errNotALibrary
}

func inspectELF(r io.ReaderAt) (Library, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return Library{}, err
	}
	l := Library{System: "linux", Architecture: dl.Architecture(f.Machine)}
	if f.Type != elf.ET_DYN {
		return l, nil
	}
	symbols, err := f.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return Library{}, err
	}
	l.symbols = map[string]bool{}
	for _, s := range symbols {
		if bind := elf.ST_BIND(s.Info); s.Section == elf.SHN_UNDEF || bind != elf.STB_GLOBAL && bind != elf.STB_WEAK {
			continue
		}
		switch elf.ST_TYPE(s.Info) {
		case elf.STT_OBJECT, elf.STT_TLS, elf.STT_COMMON:
			l.symbols[s.Name] = false
		default:
			l.symbols[s.Name] = true
		}
	}
	return l, nil
}

func isMachO(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	little, big := binary.LittleEndian.Uint32(head), binary.BigEndian.Uint32(head)
	return little == macho.Magic32 || little == macho.Magic64 || big == macho.MagicFat
}

// inspectMachO reads the architecture. A universal file that holds several architectures is left to the loader.
func inspectMachO(r io.ReaderAt) (Library, error) {
	if fat, err := macho.NewFatFile(r); err == nil {
		if len(fat.Arches) == 1 {
			return Library{System: "darwin", Architecture: machoArchitecture(fat.Arches[0].Cpu)}, nil
		}
		return Library{System: "darwin"}, nil
	}
	f, err := macho.NewFile(r)
	if err != nil {
		return Library{}, err
	}
	return Library{System: "darwin", Architecture: machoArchitecture(f.Cpu)}, nil
}

func machoArchitecture(c macho.Cpu) string {
	switch c {
	case macho.CpuAmd64:
		return "amd64"
	case macho.CpuArm64:
		return "arm64"
	}
	return strings.ToLower(strings.TrimPrefix(c.String(), "Cpu"))
}

func inspectPE(r io.ReaderAt) (Library, error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return Library{}, err
	}
	l := Library{System: "windows"}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		l.Architecture = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		l.Architecture = "arm64"
	case pe.IMAGE_FILE_MACHINE_I386:
		l.Architecture = "386"
	}
	return l, nil
}

// An archive is the magic, then members. Each member has a header of 60 bytes with its size in decimal at byte 48, and
// is padded to an even length.
const (
	archiveMagic      = "!<arch>\n"
	archiveHeaderSize = 60
	archiveSizeAt     = 48
	archiveSizeLen    = 10
)

// inspectArchive describes the archive by its first member that is an object file. Tables and names come before it.
func inspectArchive(r io.ReaderAt) (Library, error) {
	header := make([]byte, archiveHeaderSize)
	for at := int64(len(archiveMagic)); ; {
		if _, err := r.ReadAt(header, at); err != nil {
			if errors.Is(err, io.EOF) {
				return Library{}, nil
			}
			return Library{}, err
		}
		text := strings.TrimSpace(string(header[archiveSizeAt : archiveSizeAt+archiveSizeLen]))
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 0 || string(header[archiveHeaderSize-2:]) != "`\n" {
			return Library{}, fmt.Errorf("byte %d: the archive is damaged there", at)
		}
		at += archiveHeaderSize
		member := io.NewSectionReader(r, at, size)
		magic := make([]byte, 4)
		if _, err := member.ReadAt(magic, 0); err == nil {
			if string(magic) == elf.ELFMAG {
				return inspectELF(member)
			}
			if isMachO(magic) {
				return inspectMachO(member)
			}
		}
		at += size + size&1
	}
}

// Mismatch says why a machine cannot run the library: what is "system" or "processor", made is the one for which the
// library was made, and here that of the machine, in Go's names. Returns "" if it can, or if the header does not tell.
func (l Library) Mismatch(system, architecture string) (what, made, here string) {
	switch {
	case l.System != "" && l.System != system && !(l.System == "linux" && system != "darwin" && system != "windows"):
		return "system", l.System, system
	case l.Architecture != "" && l.Architecture != architecture:
		return "processor", l.Architecture, architecture
	}
	return "", "", ""
}

// Problem returns what is wrong with a symbol, judging by the exported symbols. Returns "" if nothing is wrong or the
// symbols are unknown.
func (l Library) Problem(symbol string) string {
	code, exported := l.symbols[symbol]
	switch {
	case l.symbols == nil, exported && code:
		return ""
	case exported:
		return fmt.Sprintf("%s is a variable in the library, not a function%s",
			symbol, spelling.SuggestOrList(symbol, l.Functions(symbol)))
	}
	return fmt.Sprintf("the library exports no function %s%s",
		symbol, spelling.SuggestOrList(symbol, l.Functions(symbol)))
}

// Functions returns the exported functions in alphabetical order, without one of them and without those of the linker.
func (l Library) Functions(except string) []string {
	var names []string
	for name, code := range l.symbols {
		if code && name != except && !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
