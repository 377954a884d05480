package ttsim

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// image is a program as it is loaded into the memory of a core, with the addresses that the host needs.
type image struct {
	segments []segment
	layout   layout
	form     string // the form of the file, for people
}

// segment is a piece of memory. The part that the file does not fill is zero.
type segment struct {
	address uint32
	data    []byte
}

func (s segment) end() uint64 { return uint64(s.address) + uint64(len(s.data)) }

// layout holds the places in L1 that the host needs.
type layout struct {
	mailbox         uint32
	grid            *buffer // nil if the program does not ask for its tiles
	inputs, outputs []buffer
	parameters      []parameter
	zones           []buffer // pairs of 32-bit words
}

// buffer is a dense array in L1.
type buffer struct {
	name    string
	address uint32
	element invocations.ElementType
	shape   []int64
}

// bytes returns the size of a buffer whose shape has been checked.
func (b buffer) bytes() int64 {
	size := b.element.Size()
	for _, n := range b.shape {
		size *= n
	}
	return size
}

// places returns all places of the layout as buffers.
func (l *layout) places() []buffer {
	list := []buffer{{name: mailboxName, address: l.mailbox, element: invocations.Uint32, shape: []int64{mailboxWords}}}
	list = slices.Concat(list, l.inputs, l.outputs, l.zones)
	if l.grid != nil {
		list = append(list, *l.grid)
	}
	for _, p := range l.parameters {
		list = append(list, buffer{name: parameterPrefix + p.name, address: p.address, element: invocations.Uint32})
	}
	return list
}

// parameter is a 32-bit number in L1.
type parameter struct {
	name    string
	address uint32
}

// maxProgram limits the size of a file. It is many times an L1, because files hold data for debuggers.
const maxProgram = 64 << 20

// flatPlaces is what a flat binary does not say itself.
const flatPlaces = "where the mailbox and the buffers of a flat binary are"

// readImage reads a program. The file must be an ELF file unless the layout of a flat binary is given.
func readImage(path, l1 string) (image, []byte, error) {
	data, err := readFile(path)
	if err != nil {
		return image{}, nil, err
	}
	isELF := bytes.HasPrefix(data, []byte(elf.ELFMAG))
	var m image
	switch {
	case isELF && l1 != "":
		err = fmt.Errorf("the option %s is for flat binaries, and this is an ELF file, whose symbols say where "+
			"everything is", optionL1)
	case isELF:
		m, err = readELF(data, brisc.start)
	case l1 == "" && strings.EqualFold(filepath.Ext(path), extension):
		err = remedy.New("not an ELF file: it does not begin with \\x7fELF",
			remedy.Remedy{Kind: remedy.Say, Name: optionL1, Value: flatPlaces})
	case l1 == "":
		err = remedy.New("not an ELF file", remedy.Remedy{Kind: remedy.Say, Name: optionL1, Value: flatPlaces +
			`, as in "mailbox=0x20000 input0=0x10000:1024xi32 output0=0x11000:i32"`})
	default:
		m, err = flatImage(data, l1)
	}
	return m, data, err
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxProgram+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxProgram {
		return nil, fmt.Errorf("larger than %d MiB, which no program for a core is", maxProgram>>20)
	}
	return data, nil
}

// maxSegments is far more than linkers make.
const maxSegments = 64

// checkLast returns an error unless the last segment fits beside the others.
func (m *image) checkLast() error {
	n := len(m.segments) - 1
	if n == maxSegments {
		return fmt.Errorf("it has more than %d segments", maxSegments)
	}
	last := m.segments[n]
	for _, other := range m.segments[:n] {
		if uint64(last.address) < other.end() && uint64(other.address) < last.end() {
			return fmt.Errorf("its segments at %#x and %#x overlap", other.address, last.address)
		}
	}
	return nil
}

// check returns an error unless the image fits into a memory of size bytes.
func (m *image) check(size uint32) error {
	for _, s := range m.segments {
		if s.end() > uint64(size) {
			return fmt.Errorf("it has %d bytes at %#x, and L1 ends at %#x", len(s.data), s.address, size)
		}
	}
	places := m.layout.places()
	for i, p := range places {
		if p.address%wordBytes != 0 {
			return fmt.Errorf("%s is at %#x; want a multiple of %d", p.name, p.address, wordBytes)
		}
		end := uint64(p.address) + uint64(p.bytes())
		if end > uint64(size) {
			return fmt.Errorf("%s has %d bytes at %#x, and L1 ends at %#x", p.name, p.bytes(), p.address, size)
		}
		for _, other := range places[:i] {
			if uint64(p.address) < uint64(other.address)+uint64(other.bytes()) && uint64(other.address) < end {
				return fmt.Errorf("%s at %#x and %s at %#x overlap", other.name, other.address, p.name, p.address)
			}
		}
	}
	return nil
}

// end returns the first address behind everything that is used.
func (m *image) end() (end uint64) {
	for _, s := range m.segments {
		end = max(end, s.end())
	}
	for _, p := range m.layout.places() {
		end = max(end, uint64(p.address)+uint64(p.bytes()))
	}
	return end
}

// wholeWords rounds up to whole words, the smallest unit that cards access.
func wholeWords(bytes uint64) uint64 { return (bytes + wordBytes - 1) / wordBytes * wordBytes }

// word returns the 32-bit number that the segments hold at an address, or 0 if they hold none.
func (m *image) word(address uint32) uint32 {
	for _, s := range m.segments {
		if address >= s.address && uint64(address)+wordBytes <= s.end() {
			at := s.data[address-s.address:]
			return uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16 | uint32(at[3])<<24
		}
	}
	return 0
}
