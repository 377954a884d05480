// Package metadata reads what ahead-of-time compiled Halide pipelines say of themselves out of ELF files: shared
// libraries, object files and archives of these, and static programs for Hexagon. It loads no code. It knows nothing of
// the rest of zonemark.
package metadata

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Pipeline is a pipeline as its metadata describe it.
type Pipeline struct {
	Name      string // NAME of the symbols NAME_argv and NAME_metadata
	Target    string // that it was made for, such as "x86-64-linux-avx2-profile"
	Arguments []Argument
}

// Kind says what an argument is.
type Kind int32

// The kinds of arguments (halide_argument_kind_t).
const (
	Scalar Kind = iota
	InputBuffer
	OutputBuffer
)

// Code is the class of a type.
type Code uint8

// The classes of types (halide_type_code_t).
const (
	Int Code = iota
	Uint
	Float
	Handle
	BFloat
)

// Type is the type of a scalar, or of the elements of a buffer (halide_type_t).
type Type struct {
	Code  Code
	Bits  uint8
	Lanes uint16
}

// String returns the type in Halide's own words, such as "uint8" or "float32x4".
func (t Type) String() string {
	names := []string{"int", "uint", "float", "handle", "bfloat"}
	text := fmt.Sprintf("type %d of %d bits", t.Code, t.Bits)
	if int(t.Code) < len(names) {
		text = fmt.Sprintf("%s%d", names[t.Code], t.Bits)
	}
	if t.Lanes != 1 {
		text += fmt.Sprintf("x%d", t.Lanes)
	}
	return text
}

// Argument is an argument of a pipeline.
type Argument struct {
	Name       string
	Kind       Kind
	Dimensions int // of a buffer
	Type       Type
	// Default and Estimate are values of a scalar, as its bytes in memory; nil if there is none.
	Default, Estimate []byte
	// Estimates of a buffer: one for each dimension, dimension 0 first; nil if there are none.
	Estimates []Range
}

// Range is the estimate of one dimension of a buffer. What is not known is nil.
type Range struct{ Min, Extent *int64 }

// Form is the kind of a file.
type Form int

// The kinds of files.
const (
	Shared  Form = iota // a shared library, which can be loaded
	Object              // an object file, which must be linked first
	Archive             // an archive of object files, likewise
	Program             // a static program for Hexagon, which an emulator runs
)

// File is what has been found in a file.
type File struct {
	Form      Form
	Machine   elf.Machine
	Pipelines []Pipeline // in the order of their names
	Symbols   []string   // all defined symbols that begin with "halide_"
}

// Has reports whether the file defines a symbol of Halide's runtime.
func (f *File) Has(symbol string) bool { return slices.Contains(f.Symbols, symbol) }

// Read reads the file at path. The error names what is wrong with it.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file; name a shared library, an object file or an archive", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// archiveMagic begins an archive.
const archiveMagic = "!<arch>\n"

// Parse reads the contents of a file. A file without pipelines is no error.
func Parse(data []byte) (*File, error) {
	switch {
	case bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		f := &File{}
		return f, f.addELF(data)
	case bytes.HasPrefix(data, []byte(archiveMagic)):
		f := &File{Form: Archive}
		err := members(data, f.addELF)
		slices.Sort(f.Symbols)
		slices.SortFunc(f.Pipelines, byName)
		return f, err
	}
	return nil, errors.New("it is no ELF file and no archive; pipelines for other systems cannot be run here")
}

func byName(a, b Pipeline) int { return strings.Compare(a.Name, b.Name) }

// The suffixes of the two symbols by which a pipeline is known.
const (
	callSuffix     = "_argv"
	metadataSuffix = "_metadata"
)

// addELF adds what an ELF file holds.
func (f *File) addELF(data []byte) error {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("the ELF file is damaged: %w; build it again", err)
	}
	switch {
	case file.Class == elf.ELFCLASS32 && file.Data == elf.ELFDATA2LSB && file.Machine == elf.EM_QDSP6 &&
		file.Type == elf.ET_EXEC && f.Form == Shared:
		f.Form = Program
	case file.Class != elf.ELFCLASS64 || file.Data != elf.ELFDATA2LSB:
		return fmt.Errorf("it is of class %s, %s; only pipelines for 64-bit little-endian processors can be read",
			file.Class, file.Data)
	case file.Type == elf.ET_REL && f.Form == Shared:
		f.Form = Object
	case file.Type == elf.ET_REL:
	case file.Type != elf.ET_DYN || f.Form == Archive:
		return fmt.Errorf("it is an ELF file of type %s; want a shared library or object files", file.Type)
	}
	f.Machine = file.Machine
	m, err := newImage(file, data)
	if err != nil {
		return err
	}
	defined := map[string]bool{}
	for _, s := range m.Symbols {
		if s.Section == elf.SHN_UNDEF || elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			continue
		}
		defined[s.Name] = true
		if strings.HasPrefix(s.Name, "halide_") {
			f.Symbols = append(f.Symbols, s.Name)
		}
	}
	for name := range defined {
		base, found := strings.CutSuffix(name, metadataSuffix)
		if !found || base == "" || !defined[base+callSuffix] {
			continue
		}
		p, err := m.pipeline(base)
		if err != nil {
			return err
		}
		f.Pipelines = append(f.Pipelines, p)
	}
	slices.SortFunc(f.Pipelines, byName)
	slices.Sort(f.Symbols)
	return nil
}

// An archive is the magic, then members. Each has a header of 60 bytes with its size in decimal at byte 48, and is
// padded to an even length.
const (
	headerBytes = 60
	sizeAt      = 48
	sizeEnd     = 58
)

// members calls visit for each member of an archive that is an ELF file. Tables and names come before them.
func members(data []byte, visit func(member []byte) error) error {
	for at := len(archiveMagic); at < len(data); {
		if len(data)-at < headerBytes || string(data[at+sizeEnd:at+headerBytes]) != "`\n" {
			return fmt.Errorf("byte %d: the archive is damaged there; build it again", at)
		}
		size, err := strconv.Atoi(strings.TrimSpace(string(data[at+sizeAt : at+sizeEnd])))
		if err != nil || size < 0 || size > len(data)-at-headerBytes {
			return fmt.Errorf("byte %d: the archive is damaged there, or cut off; build it again", at)
		}
		at += headerBytes
		if member := data[at : at+size]; bytes.HasPrefix(member, []byte(elf.ELFMAG)) {
			if err := visit(member); err != nil {
				return fmt.Errorf("its member at byte %d: %w", at, err)
			}
		}
		at += size + size&1
	}
	return nil
}
