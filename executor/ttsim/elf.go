package ttsim

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// largestL1 is the larger L1 of the chips. The chip is known only when the simulator is loaded.
const largestL1 = 1536 << 10

// These are flags of RISC-V ELF files (RISC-V ELF psABI, "File Header").
const (
	flagCompressed = 0x1
	flagFloatABI   = 0x6
)

// maxSymbols limits how many symbols are looked at.
const maxSymbols = 1 << 16

// readELF reads a static program for RV32, for a core that begins at the address start.
func readELF(data []byte, start uint32) (image, error) {
	if err := suits(data); err != nil {
		return image{}, err
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return image{}, fmt.Errorf("the ELF file is damaged: %w", err)
	}
	m := image{form: "ELF file for RV32"}
	for i, p := range f.Progs {
		switch p.Type {
		case elf.PT_INTERP, elf.PT_DYNAMIC:
			return image{}, errors.New("it is linked dynamically; link it with -static")
		case elf.PT_LOAD:
		default:
			continue
		}
		if p.Memsz == 0 {
			continue
		}
		if p.Vaddr >= largestL1 || p.Memsz > largestL1-p.Vaddr || p.Filesz > p.Memsz {
			return image{}, fmt.Errorf("segment %d: %d bytes at %#x, %d of them in the file, are not in L1, which "+
				"ends at %#x at most; correct the linker script", i, p.Memsz, p.Vaddr, p.Filesz, largestL1)
		}
		if p.Off > uint64(len(data)) || p.Filesz > uint64(len(data))-p.Off {
			return image{}, fmt.Errorf("the file is cut off: it has %d bytes, its segment %d needs %d at byte %d",
				len(data), i, p.Filesz, p.Off)
		}
		s := segment{address: uint32(p.Vaddr), data: make([]byte, p.Memsz)}
		copy(s.data, data[p.Off:p.Off+p.Filesz])
		m.segments = append(m.segments, s)
		// This is checked here so that overlapping segments cannot add up to more than one L1.
		if err := m.checkLast(); err != nil {
			return image{}, err
		}
	}
	if len(m.segments) == 0 {
		return image{}, errors.New("it has no segments to load; link it")
	}
	if err := m.enter(f.Entry, start); err != nil {
		return image{}, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return image{}, fmt.Errorf("its symbols say where mailbox and buffers are, and there are none that can be "+
			"read (%w); do not strip it", err)
	}
	if len(symbols) > maxSymbols {
		return image{}, fmt.Errorf("it has %d symbols; link less into it", len(symbols))
	}
	if err := m.layout.fromSymbols(symbols); err != nil {
		return image{}, err
	}
	return m, m.check(largestL1)
}

// These are offsets and sizes of Elf32_Ehdr and Elf32_Shdr (System V ABI, "Object Files").
const (
	headerBytes                              = 52
	atType, atMachine, atSections, atFlags   = 16, 18, 32, 36
	atSectionBytes, atSectionCount           = 46, 48
	sectionBytes, atSectionType, atSectFlags = 40, 4, 8
)

// suits returns why the core cannot run the file, judging by its headers alone.
func suits(data []byte) error {
	if len(data) < headerBytes {
		return fmt.Errorf("the ELF file is damaged: it has %d bytes, and its header alone takes %d",
			len(data), headerBytes)
	}
	class, order := elf.Class(data[elf.EI_CLASS]), elf.Data(data[elf.EI_DATA])
	if class != elf.ELFCLASS32 || order != elf.ELFDATA2LSB {
		return fmt.Errorf("it is of class %s, %s; want 32 bits, little-endian (-march=rv32im -mabi=ilp32)",
			class, order)
	}
	le := binary.LittleEndian
	machine, kind := elf.Machine(le.Uint16(data[atMachine:])), elf.Type(le.Uint16(data[atType:]))
	flags := le.Uint32(data[atFlags:])
	switch {
	case machine != elf.EM_RISCV:
		return fmt.Errorf("it is for the machine %s; want RISC-V (-march=rv32im -mabi=ilp32)", machine)
	case kind == elf.ET_REL:
		return errors.New("it is an object file; link it (-nostdlib -static, and a linker script that begins at " +
			"address 0)")
	case kind != elf.ET_EXEC:
		return fmt.Errorf("it is of type %s; want a static executable (-nostdlib -static)", kind)
	case flags&flagCompressed != 0:
		return errors.New("it has compressed instructions, which the core does not run; compile it with -march=rv32im")
	case flags&flagFloatABI != 0:
		return errors.New("it passes numbers in floating-point registers, which the core does not have; compile it " +
			"with -mabi=ilp32")
	}
	return plainSymbols(data)
}

// plainSymbols refuses compressed symbols, because the size of the file does not limit their unpacked size.
func plainSymbols(data []byte) error {
	le := binary.LittleEndian
	at, count := uint64(le.Uint32(data[atSections:])), uint64(le.Uint16(data[atSectionCount:]))
	if count == 0 || le.Uint16(data[atSectionBytes:]) != sectionBytes || at+count*sectionBytes > uint64(len(data)) {
		return errors.New("it has no table of sections that can be read, and so no symbols, which say where mailbox " +
			"and buffers are; link it anew, and do not strip it")
	}
	for i := range count {
		section := data[at+i*sectionBytes:]
		kind := elf.SectionType(le.Uint32(section[atSectionType:]))
		flags := elf.SectionFlag(le.Uint32(section[atSectFlags:]))
		if (kind == elf.SHT_SYMTAB || kind == elf.SHT_STRTAB) && flags&elf.SHF_COMPRESSED != 0 {
			return fmt.Errorf("its section %d, symbols or names, is compressed; link it without", i)
		}
	}
	return nil
}

// enter makes a core that begins at the address start reach the entry.
func (m *image) enter(entry uint64, start uint32) error {
	covered, inside := false, false
	for _, s := range m.segments {
		covered = covered || uint64(s.address) < uint64(start)+jumpBytes && s.end() > uint64(start)
		inside = inside || entry >= uint64(s.address) && entry < s.end()
	}
	switch {
	case entry == uint64(start) && !inside:
		return fmt.Errorf("its entry is %#x and it has nothing there; name the entry in the linker script", entry)
	case !inside || entry%wordBytes != 0:
		return fmt.Errorf("its entry %#x is no instruction of its segments", entry)
	case entry == uint64(start):
		return nil
	case covered:
		return fmt.Errorf("its entry is %#x, the core begins at %#x, and there is no room for a jump there; put the "+
			"entry first, or leave %d bytes free there", entry, start, jumpBytes)
	}
	m.segments = append(m.segments, segment{address: start, data: jumpTo(uint32(entry))})
	return nil
}

const (
	wordBytes = 4
	jumpBytes = 8
)

// jumpTo returns the code of "lui t0, hi; jalr zero, lo(t0)" (RISC-V Unprivileged ISA, RV32I).
func jumpTo(target uint32) []byte {
	const lui, jalr, t0 = 0x37, 0x67, 5
	low := target & 0xfff
	high := target - uint32(int32(low<<20)>>20) // jalr sign-extends its immediate
	b := binary.LittleEndian.AppendUint32(nil, high&^0xfff|t0<<7|lui)
	return binary.LittleEndian.AppendUint32(b, low<<20|t0<<15|jalr)
}

// flatImage returns the image of a flat binary. l1 is the layout that the user gives.
func flatImage(data []byte, l1 string) (image, error) {
	m := image{form: "flat binary"}
	load, err := m.layout.fromText(l1)
	if err != nil {
		return image{}, fmt.Errorf("option %s: %w", optionL1, err)
	}
	switch {
	case len(data) == 0:
		return image{}, errors.New("the file is empty")
	case uint64(load)+uint64(len(data)) > largestL1:
		return image{}, fmt.Errorf("%d bytes at %#x are not in L1, which ends at %#x at most",
			len(data), load, largestL1)
	case load%wordBytes != 0 || load != 0 && load < jumpBytes:
		return image{}, fmt.Errorf("option %s: load=%#x: want 0, or a multiple of %d that leaves %d bytes for a jump",
			optionL1, load, wordBytes, jumpBytes)
	}
	m.segments = []segment{{address: load, data: data}}
	if err := m.enter(uint64(load), brisc.start); err != nil {
		return image{}, err
	}
	return m, m.check(largestL1)
}
