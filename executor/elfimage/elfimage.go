// Package elfimage lays ELF files out as they would lie in memory, with their pointers: shared libraries, object files,
// and static programs for 32-bit processors. It loads no code, and does not know what the files are for.
package elfimage

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Image is an ELF file as it would lie in memory, with its pointers.
type Image struct {
	Symbols      []elf.Symbol
	PointerBytes uint64

	spans    []span            // in the order of their addresses
	pointers map[uint64]uint64 // where relocations put them, or where they lie
}

// span is a range of memory with its contents.
type span struct {
	address uint64
	data    []byte
}

// A file that is larger in one of these is damaged: libraries of pipelines have far less.
const (
	maxSymbols     = 1 << 20
	maxRelocations = 1 << 21
)

// New reads the segments of a library or program, or the sections of an object file, and their relocations. data is the
// whole file, which the image keeps. The memory that New takes is limited by the size of the file.
func New(f *elf.File, data []byte) (*Image, error) {
	for i, s := range f.Sections {
		switch s.Type {
		case elf.SHT_SYMTAB, elf.SHT_DYNSYM, elf.SHT_STRTAB:
			if s.Flags&elf.SHF_COMPRESSED != 0 { // the size of the file would not limit their unpacked size
				return nil, fmt.Errorf("its section %d, symbols or names, is compressed; link it without", i)
			}
			if s.Size > uint64(len(data)) {
				return nil, fmt.Errorf("the file is cut off: its section %d has %d bytes; build it again", i, s.Size)
			}
		}
	}
	m := &Image{pointers: map[uint64]uint64{}, PointerBytes: wideBytes}
	var err error
	switch f.Type {
	case elf.ET_REL:
		err = m.addSections(f, data)
	case elf.ET_EXEC:
		err = m.addProgram(f, data)
	default:
		err = m.addSegments(f, data)
	}
	return m, err
}

// addSegments places the segments of a shared library where its headers say, and applies its dynamic relocations.
func (m *Image) addSegments(f *elf.File, data []byte) (err error) {
	if m.Symbols, err = f.DynamicSymbols(); err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return fmt.Errorf("its dynamic symbols: %w; build it again", err)
	}
	if err := m.place(f, data); err != nil {
		return err
	}
	value := func(index uint32) (uint64, bool) {
		if index == 0 || int64(index) > int64(len(m.Symbols)) {
			return 0, false
		}
		s := m.Symbols[index-1]
		return s.Value, s.Section != elf.SHN_UNDEF
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		switch s.Type {
		case elf.SHT_RELA:
			err = m.relocate(f.Machine, contents(s, data), 0, value)
		case sectionRELR:
			err = m.relocatePacked(contents(s, data))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place places the segments where the headers say.
func (m *Image) place(f *elf.File, data []byte) error {
	for i, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		if p.Off > uint64(len(data)) || p.Filesz > uint64(len(data))-p.Off {
			return fmt.Errorf("the file is cut off: it has %d bytes, its segment %d needs %d at byte %d; build it again",
				len(data), i, p.Filesz, p.Off)
		}
		m.spans = append(m.spans, span{p.Vaddr, data[p.Off : p.Off+p.Filesz]})
	}
	slices.SortStableFunc(m.spans, func(a, b span) int { return cmp.Compare(a.address, b.address) })
	return nil
}

// sectionBase is the distance between the addresses that sections of an object file get here: they have none yet.
const sectionBase = 1 << 32

// addSections places each section of an object file at an address of its own, and applies the relocations.
func (m *Image) addSections(f *elf.File, data []byte) (err error) {
	if m.Symbols, err = f.Symbols(); err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return fmt.Errorf("its symbols: %w; build it again", err)
	}
	base := func(section elf.SectionIndex) uint64 { return (uint64(section) + 1) * sectionBase }
	for i, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		if b := contents(s, data); len(b) > 0 && len(b) < sectionBase {
			m.spans = append(m.spans, span{base(elf.SectionIndex(i)), b})
		}
	}
	slices.SortStableFunc(m.spans, func(a, b span) int { return cmp.Compare(a.address, b.address) })
	value := func(index uint32) (uint64, bool) {
		if index == 0 || int64(index) > int64(len(m.Symbols)) {
			return 0, false
		}
		s := m.Symbols[index-1]
		if s.Section == elf.SHN_UNDEF || int(s.Section) >= len(f.Sections) {
			return 0, false
		}
		return base(s.Section) + s.Value, true
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || int(s.Info) >= len(f.Sections) {
			continue
		}
		if target := f.Sections[s.Info]; target.Flags&(elf.SHF_ALLOC|elf.SHF_EXECINSTR) != elf.SHF_ALLOC {
			continue
		}
		if err := m.relocate(f.Machine, contents(s, data), base(elf.SectionIndex(s.Info)), value); err != nil {
			return err
		}
	}
	return nil
}

// contents returns the bytes of a section; nil if it has none in the file.
func contents(s *elf.Section, data []byte) []byte {
	if s.Type == elf.SHT_NOBITS || s.Offset > uint64(len(data)) || s.FileSize > uint64(len(data))-s.Offset {
		return nil
	}
	return data[s.Offset : s.Offset+s.FileSize]
}

const (
	wideBytes       = 8  // a pointer of 64 bits
	relocationBytes = 24 // Elf64_Rela: offset, symbol and kind, addend
	// sectionRELR is SHT_RELR, relative relocations in few bytes, which debug/elf does not name.
	sectionRELR = elf.SectionType(19)
)

// relocate enters the pointers of a table of Elf64_Rela.
func (m *Image) relocate(
	machine elf.Machine, table []byte, base uint64, value func(symbol uint32) (uint64, bool),
) error {
	if err := m.room(len(table) / relocationBytes); err != nil {
		return err
	}
	relative, absolute := uint32(elf.R_X86_64_RELATIVE), uint32(elf.R_X86_64_64)
	switch machine {
	case elf.EM_AARCH64:
		relative, absolute = uint32(elf.R_AARCH64_RELATIVE), uint32(elf.R_AARCH64_ABS64)
	case elf.EM_RISCV:
		relative, absolute = uint32(elf.R_RISCV_RELATIVE), uint32(elf.R_RISCV_64)
	}
	for ; len(table) >= relocationBytes; table = table[relocationBytes:] {
		at := base + binary.LittleEndian.Uint64(table)
		kind, addend := binary.LittleEndian.Uint64(table[8:]), binary.LittleEndian.Uint64(table[16:])
		switch uint32(kind) {
		case relative:
			m.pointers[at] = addend
		case absolute:
			if v, defined := value(uint32(kind >> 32)); defined {
				m.pointers[at] = v + addend
			}
		}
	}
	return nil
}

// relocatePacked enters the pointers of a table of Elf64_Relr. An even word is the address of a pointer. Each bit but
// the lowest of an odd word stands for one of the 63 words behind the last one that was spoken of.
func (m *Image) relocatePacked(table []byte) error {
	const perBitmap = 63
	if err := m.room(len(table) / wideBytes * perBitmap); err != nil {
		return err
	}
	next := uint64(0)
	enter := func(at uint64) {
		if b := m.Bytes(at, wideBytes); b != nil {
			m.pointers[at] = binary.LittleEndian.Uint64(b)
		}
	}
	for ; len(table) >= wideBytes; table = table[wideBytes:] {
		word := binary.LittleEndian.Uint64(table)
		if word&1 == 0 {
			enter(word)
			next = word + wideBytes
			continue
		}
		for bit := range uint64(perBitmap) {
			if word>>(bit+1)&1 != 0 {
				enter(next + bit*wideBytes)
			}
		}
		next += perBitmap * wideBytes
	}
	return nil
}

func (m *Image) room(more int) error {
	if len(m.Symbols) > maxSymbols || len(m.pointers)+more > maxRelocations {
		return fmt.Errorf("it has %d symbols and more than %d relocations; link less into it",
			len(m.Symbols), len(m.pointers))
	}
	return nil
}

// Bytes returns n bytes at an address; nil if the file does not hold them all.
func (m *Image) Bytes(address, n uint64) []byte {
	b := m.From(address)
	if uint64(len(b)) < n {
		return nil
	}
	return b[:n]
}

// From returns all that lies at an address and behind it in one span.
func (m *Image) From(address uint64) []byte {
	i, exact := slices.BinarySearchFunc(m.spans, address, func(s span, a uint64) int {
		return cmp.Compare(s.address, a)
	})
	if !exact {
		i--
	}
	if i < 0 || address-m.spans[i].address >= uint64(len(m.spans[i].data)) {
		return nil
	}
	return m.spans[i].data[address-m.spans[i].address:]
}

// maxText limits names and targets.
const maxText = 4096

// Text returns the C string at an address; false if there is none.
func (m *Image) Text(address uint64) (string, bool) {
	b := m.From(address)
	end := bytes.IndexByte(b[:min(len(b), maxText)], 0)
	if end < 0 {
		return "", false
	}
	return string(b[:end]), true
}

// Pointer returns the pointer that lies at an address, 0 for a null pointer.
func (m *Image) Pointer(at uint64) uint64 { return m.pointers[at] }

// Pointers returns the places of all pointers, in the order of their addresses.
func (m *Image) Pointers() []uint64 { return slices.Sorted(maps.Keys(m.pointers)) }

// Word returns the pointer or number that lies at an address; 0 if the file holds none.
func (m *Image) Word(at uint64) uint64 {
	if pointer, found := m.pointers[at]; found {
		return pointer
	}
	b := m.Bytes(at, wideBytes)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// addProgram places the segments of a static program for a 32-bit processor. Its pointers are in place already, and
// nothing tells which words are pointers: each aligned word outside of the code that is an address is taken for one.
func (m *Image) addProgram(f *elf.File, data []byte) (err error) {
	m.PointerBytes = 4
	if m.Symbols, err = f.Symbols(); err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return fmt.Errorf("its symbols: %w; build it again", err)
	}
	if err := m.place(f, data); err != nil {
		return err
	}
	words := uint64(0) // that have been looked at: headers may name the same ones again and again
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X != 0 || p.Filesz == 0 {
			continue
		}
		at := (p.Vaddr + m.PointerBytes - 1) / m.PointerBytes * m.PointerBytes
		words += p.Filesz / m.PointerBytes
		if err := m.room(int(min(words, maxRelocations+1))); err != nil {
			return err
		}
		for ; at-p.Vaddr+m.PointerBytes <= p.Filesz; at += m.PointerBytes {
			word := uint64(binary.LittleEndian.Uint32(data[p.Off+at-p.Vaddr:]))
			if m.From(word) != nil {
				m.pointers[at] = word
			}
		}
	}
	return nil
}
