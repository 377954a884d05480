package vmfb

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"

	"zonemark/executor/dl"
	"zonemark/executor/elfimage"
)

const (
	elfMagic        = "\x7fELF"
	maxLibraryBytes = 256 << 20 // size of a library above which its exports are not read
	maxExports      = 1 << 16
)

// Here is the processor of this machine, as Library.Machine names it.
const Here = runtime.GOARCH

// Library is an executable library inside a module: native code of dispatches.
type Library struct {
	Name       string // name of the file in the archive, or "rodata 4"
	Machine    string // as Go writes it, "amd64", "arm64"; else ELF's name
	ABI        uint32 // version of the executable library interface; 0 if Dispatches is not known
	Dispatches []DispatchFunction
	Offset     int64  // byte of the module's file at which the library begins
	Bytes      int64  // size of the library
	File       string // path of the module's file; empty if the module was not read from one
	Of         string // name of the module that holds it, if this is one that the module calls; else empty
}

// DispatchFunction is one function of a library, as its tables describe it.
type DispatchFunction struct {
	Name             string
	Constants        int // 32-bit push constants
	Bindings         int // buffers
	LocalMemoryBytes int64
	SourceFile       string // of the operation that it was made of, as the compiler was told it; empty if it is not known
	SourceLine       int
}

// addLibrary adds data if it is an ELF file. Other data of a module is ignored.
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
	if text, err := readImage(f, data); err == nil {
		l.ABI, l.Dispatches = text.exports()
	}
	m.Libraries = append(m.Libraries, l)
	return nil
}

// offsetIn returns where a section begins in the file, through sections of sections.
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

// image is a library as a loader lays it out.
type image struct {
	*elfimage.Image
	data [][2]uint64 // ranges of initialized data, in which tables are looked for
}

// readImage lays out a library.
func readImage(f *elf.File, file *io.SectionReader) (*image, error) {
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || file.Size() > maxLibraryBytes {
		return nil, fmt.Errorf("not a 64-bit little-endian library of at most %d bytes", maxLibraryBytes)
	}
	data := make([]byte, file.Size())
	if _, err := file.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, err
	}
	laid, err := elfimage.New(f, data)
	if err != nil {
		return nil, err
	}
	im := &image{Image: laid}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X == 0 && p.Flags&elf.PF_W != 0 {
			im.data = append(im.data, [2]uint64{p.Vaddr, p.Vaddr + p.Filesz})
		}
	}
	return im, nil
}

// text returns the C string at an address, if it is printable and not empty.
func (im *image) text(at uint64) (string, bool) {
	text, found := im.Text(at)
	if !found || at == 0 || text == "" || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	return text, true
}

// abiLayout holds where the library table of a version of the executable library interface
// (iree/hal/local/executable_library.h, 64 bits) has what is read here: the header's address, imports {count, symbols},
// exports {count, functions, attributes, …, names, …}. Package executable has the same tables as structures; a test
// there compares the two on loaded libraries.
type abiLayout struct {
	version                    uint64
	names, locations           uint64 // within the library table
	attributes                 uint64 // size of one dispatch's attributes
	local, constants, bindings uint64 // within the attributes: u16 pages, u8, u8
}

// Offsets in the library table of every version.
const (
	exportsCount      = 24
	exportsFunctions  = 32
	exportsAttributes = 40
	localPageBytes    = 4096
	locationBytes     = 16 // u32 line, u32 length of the path, path
)

// abiLayouts returns the known versions, 0.6 (IREE 3.8 and later) and 0.5.
func abiLayouts() []abiLayout {
	return []abiLayout{
		{version: 6, names: 64, locations: 88, attributes: 64, local: 8, constants: 10, bindings: 11},
		{version: 5, names: 48, locations: 64, attributes: 72, local: 0, constants: 2, bindings: 3},
	}
}

// exports looks for the library table among the initialized data. It is a word that points to a header of a known
// version with a name, followed by tables all of whose functions and names are in the image. exports returns 0 if there
// is no such table; then the dispatches are known only when the library is loaded.
func (im *image) exports() (abi uint32, dispatches []DispatchFunction) {
	for _, r := range im.data {
		for at := (r[0] + 7) / 8 * 8; at+8 <= r[1]; at += 8 {
			header := im.Word(at)
			for _, l := range abiLayouts() {
				if header == 0 || im.Word(header) != l.version { // the version, and four bytes of padding
					continue
				}
				if _, ok := im.text(im.Word(header + 8)); !ok {
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
	count := im.Word(library + exportsCount)
	functions := im.Word(library + exportsFunctions)
	attributes := im.Word(library + exportsAttributes)
	names, locations := im.Word(library+l.names), im.Word(library+l.locations)
	if count == 0 || count > maxExports || functions == 0 || names == 0 || im.Bytes(names, 8*count) == nil {
		return nil, false
	}
	for i := range count {
		name, named := im.text(im.Word(names + 8*i))
		function := im.Word(functions + 8*i)
		if !named || function == 0 || im.From(function) == nil {
			return nil, false
		}
		d := DispatchFunction{Name: name}
		if a := im.Bytes(attributes+l.attributes*i, l.attributes); attributes != 0 && a != nil {
			d.LocalMemoryBytes = localPageBytes * int64(binary.LittleEndian.Uint16(a[l.local:]))
			d.Constants, d.Bindings = int(a[l.constants]), int(a[l.bindings])
		}
		if at := im.Bytes(locations+locationBytes*i, locationBytes); locations != 0 && at != nil {
			length := binary.LittleEndian.Uint32(at[4:])
			d.SourceLine = int(binary.LittleEndian.Uint32(at))
			d.SourceFile = string(im.Bytes(im.Word(locations+locationBytes*i+8), uint64(length)))
		}
		list = append(list, d)
	}
	return list, true
}
