package hat

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
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/dl"
)

// library holds what the header of a native library states. The library is not loaded.
type library struct {
	system       string          // Go's name of the operating system; empty if the file does not state it
	architecture string          // Go's name, or the format's own if Go has none; empty if unknown
	symbols      map[string]bool // exported names: true for code, false for data; nil if not read
}

// static reports whether a link target must be compiled or linked before it can be loaded, judging by its name.
func static(path string) bool {
	if sourceCode(path) {
		return true
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".a", ".o", ".lib", ".obj":
		return true
	}
	return false
}

// errNotALibrary reports a file in no format that this package knows.
var errNotALibrary = errors.New("it is no ELF, Mach-O or PE library and no archive of objects")

// inspectLibrary reads the header of the file at path.
func inspectLibrary(path string) (library, error) {
	f, err := os.Open(path)
	if err != nil {
		return library{}, err
	}
	defer f.Close()
	l, err := inspect(f)
	if err != nil {
		return library{}, fmt.Errorf("library %s: %w; build it again", path, err)
	}
	return l, nil
}

// inspect recognizes the format by its first bytes.
func inspect(r io.ReaderAt) (library, error) {
	head := make([]byte, 8)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return library{}, err
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
	return library{}, errNotALibrary
}

func inspectELF(r io.ReaderAt) (library, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return library{}, err
	}
	l := library{system: "linux", architecture: dl.Architecture(f.Machine)}
	if f.Type != elf.ET_DYN {
		return l, nil
	}
	symbols, err := f.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return library{}, err
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
func inspectMachO(r io.ReaderAt) (library, error) {
	if fat, err := macho.NewFatFile(r); err == nil {
		if len(fat.Arches) == 1 {
			return library{system: "darwin", architecture: machoArchitecture(fat.Arches[0].Cpu)}, nil
		}
		return library{system: "darwin"}, nil
	}
	f, err := macho.NewFile(r)
	if err != nil {
		return library{}, err
	}
	return library{system: "darwin", architecture: machoArchitecture(f.Cpu)}, nil
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

func inspectPE(r io.ReaderAt) (library, error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return library{}, err
	}
	l := library{system: "windows"}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		l.architecture = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		l.architecture = "arm64"
	case pe.IMAGE_FILE_MACHINE_I386:
		l.architecture = "386"
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
func inspectArchive(r io.ReaderAt) (library, error) {
	header := make([]byte, archiveHeaderSize)
	for at := int64(len(archiveMagic)); ; {
		if _, err := r.ReadAt(header, at); err != nil {
			if errors.Is(err, io.EOF) {
				return library{}, nil
			}
			return library{}, err
		}
		text := strings.TrimSpace(string(header[archiveSizeAt : archiveSizeAt+archiveSizeLen]))
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 0 || string(header[archiveHeaderSize-2:]) != "`\n" {
			return library{}, fmt.Errorf("byte %d: the archive is damaged there", at)
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

// functionsExcept returns the exported functions in alphabetical order, without symbol and without those of the linker.
func (l library) functionsExcept(symbol string) []string {
	var names []string
	for name, code := range l.symbols {
		if code && name != symbol && !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
