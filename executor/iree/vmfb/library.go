package vmfb

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"

	"zonemark/executor/dl"
)

const (
	elfMagic        = "\x7fELF"
	maxLibraryBytes = 256 << 20 // of a library, beyond which its exports are not looked for
	maxExports      = 1 << 16
)

// Library is an executable library inside a module: native code of dispatches.
type Library struct {
	Name       string // of the file in the archive, or "rodata 4"
	Machine    string // as Go writes it, "amd64", "arm64"; else ELF's name
	ABI        uint32 // version of the executable library interface; 0 where Dispatches is not known
	Dispatches []DispatchFunction
	Offset     int64 // byte of the module's file at which the library begins
	Bytes      int64 // its size
}

// DispatchFunction is one function of a library, as its tables describe it.
type DispatchFunction struct {
	Name             string
	Constants        int // 32-bit push constants
	Bindings         int // buffers
	LocalMemoryBytes int64
}

// addLibrary adds data when it is an ELF file; other data of a module is its own affair.
func (m *Module) addLibrary(name string, data *io.SectionReader) error {
	var magic [len(elfMagic)]byte
	if n, err := data.ReadAt(magic[:], 0); n < len(magic) || string(magic[:]) != elfMagic {
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	f, err := elf.NewFile(data)
	if err != nil {
		return fmt.Errorf("%s: the dispatch library is damaged: %w; compile the module again", name, err)
	}
	l := Library{Name: name, Machine: dl.Architecture(f.Machine), Offset: offsetIn(data), Bytes: data.Size()}
	if text, err := readImage(f, data.Size()); err == nil {
		l.ABI, l.Dispatches = text.exports()
	}
	m.Libraries = append(m.Libraries, l)
	return nil
}

// offsetIn is where a section begins in the file, through sections of sections.
func offsetIn(s *io.SectionReader) (offset int64) {
	for {
		outer, at, _ := s.Outer()
		offset += at
		inner, nested := outer.(*io.SectionReader)
		if !nested {
			return offset
		}
		s = inner
	}
}

// image is a library as a loader lays it out at address 0, with the relocations that are relative to it.
type image struct {
	bytes []byte
	data  [][2]uint64 // ranges of initialized data, in which tables are looked for
}

// readImage lays the loadable segments out. Memory is bounded by a multiple of the file: what files do not hold is a page at the end of a segment.
func readImage(f *elf.File, fileSize int64) (*image, error) {
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || fileSize > maxLibraryBytes {
		return nil, fmt.Errorf("not a 64-bit little-endian library of at most %d bytes", maxLibraryBytes)
	}
	const gaps = 1 << 20 // alignment between segments
	var end uint64
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			last := p.Vaddr + p.Filesz
			if last < p.Vaddr || p.Filesz > uint64(fileSize) || last > uint64(fileSize)+gaps {
				return nil, fmt.Errorf("segment at %#x reaches beyond what the file justifies", p.Vaddr)
			}
			end = max(end, last)
		}
	}
	im := &image{bytes: make([]byte, end)}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if _, err := p.ReadAt(im.bytes[p.Vaddr:p.Vaddr+p.Filesz], 0); err != nil && err != io.EOF {
			return nil, err
		}
		if p.Flags&elf.PF_X == 0 && p.Flags&elf.PF_W != 0 {
			im.data = append(im.data, [2]uint64{p.Vaddr, p.Vaddr + p.Filesz})
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_RELA && s.Flags&elf.SHF_ALLOC != 0 && s.Size <= uint64(fileSize) {
			data, err := s.Data()
			if err != nil {
				return nil, err
			}
			im.relocate(data, f.Machine)
		}
	}
	return im, nil
}

// relocate writes the addresses that are known without other libraries.
func (im *image) relocate(rela []byte, m elf.Machine) {
	for ; len(rela) >= 24; rela = rela[24:] { // Elf64_Rela: offset, info, addend
		at, kind := binary.LittleEndian.Uint64(rela), binary.LittleEndian.Uint64(rela[8:])&0xffffffff
		relative := m == elf.EM_X86_64 && kind == uint64(elf.R_X86_64_RELATIVE) || m == elf.EM_AARCH64 && kind == uint64(elf.R_AARCH64_RELATIVE) ||
			m == elf.EM_RISCV && kind == uint64(elf.R_RISCV_RELATIVE)
		if size := uint64(len(im.bytes)); relative && size >= 8 && at <= size-8 {
			copy(im.bytes[at:at+8], rela[16:24])
		}
	}
}

func (im *image) word(at uint64) uint64 {
	if size := uint64(len(im.bytes)); size < 8 || at > size-8 {
		return 0
	}
	return binary.LittleEndian.Uint64(im.bytes[at:])
}

// text is the C string at an address, printable and not empty.
func (im *image) text(at uint64) (string, bool) {
	const longest = 4096
	if at == 0 || at >= uint64(len(im.bytes)) {
		return "", false
	}
	tail := im.bytes[at:min(uint64(len(im.bytes)), at+longest)]
	n := bytes.IndexByte(tail, 0)
	if n <= 0 || bytes.ContainsFunc(tail[:n], func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	return string(tail[:n]), true
}

// abiLayout is where the library table of a version of the executable library interface (iree/hal/local/executable_library.h, 64 bits) has what is read
// here: header's address, imports {count, symbols}, exports {count, functions, attributes, …, names, …}. Package executable has the same tables as
// structures; a test there compares the two on loaded libraries.
type abiLayout struct {
	version                    uint64
	names                      uint64 // within the library table
	attributes                 uint64 // size of one dispatch's attributes
	local, constants, bindings uint64 // within the attributes: u16 pages, u8, u8
}

// Within the library table of every version.
const (
	exportsCount      = 24
	exportsFunctions  = 32
	exportsAttributes = 40
	localPageBytes    = 4096
)

// abiLayouts are the known versions, 0.6 (IREE 3.8 and later) and 0.5.
func abiLayouts() []abiLayout {
	return []abiLayout{
		{version: 6, names: 64, attributes: 64, local: 8, constants: 10, bindings: 11},
		{version: 5, names: 48, attributes: 72, local: 0, constants: 2, bindings: 3},
	}
}

// exports looks for the library table among the initialized data: a word that leads to a header of a known version with a name, followed by
// tables all of whose functions and names lie in the image. It returns 0 where there is none, which means that dispatches are known only when loaded.
func (im *image) exports() (abi uint32, dispatches []DispatchFunction) {
	for _, r := range im.data {
		for at := (r[0] + 7) / 8 * 8; at+8 <= r[1]; at += 8 {
			header := im.word(at)
			for _, l := range abiLayouts() {
				if header == 0 || im.word(header) != l.version { // the version, and four bytes of padding
					continue
				}
				if _, ok := im.text(im.word(header + 8)); !ok {
					continue
				}
				if d, ok := im.dispatches(at, l); ok {
					return uint32(l.version), d
				}
			}
		}
	}
	return 0, nil
}

func (im *image) dispatches(library uint64, l abiLayout) (list []DispatchFunction, ok bool) {
	count := im.word(library + exportsCount)
	functions, attributes, names := im.word(library+exportsFunctions), im.word(library+exportsAttributes), im.word(library+l.names)
	size := uint64(len(im.bytes))
	if count == 0 || count > maxExports || functions == 0 || names == 0 || names >= size || 8*count > size-names {
		return nil, false
	}
	for i := range count {
		name, named := im.text(im.word(names + 8*i))
		function := im.word(functions + 8*i)
		if !named || function == 0 || function >= size {
			return nil, false
		}
		d := DispatchFunction{Name: name}
		if a := attributes + l.attributes*i; attributes != 0 && a < size && l.attributes <= size-a {
			d.LocalMemoryBytes = localPageBytes * int64(binary.LittleEndian.Uint16(im.bytes[a+l.local:]))
			d.Constants, d.Bindings = int(im.bytes[a+l.constants]), int(im.bytes[a+l.bindings])
		}
		list = append(list, d)
	}
	return list, true
}
