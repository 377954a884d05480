package ttsim

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func example(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(examplePath(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func examplePath(name string) string {
	return filepath.Join("..", "..", "cmd", "zonemark", "example", name)
}

func TestReadELF(t *testing.T) {
	m, err := readELF(example(t, "tensix_scale.elf"), brisc.start)
	if err != nil {
		t.Fatal(err)
	}
	l := m.layout
	if len(l.inputs) != 1 || len(l.outputs) != 2 || l.outputs[1].element != "int64" || l.outputs[1].bytes() != 8 ||
		l.inputs[0].shape[0] != 1024 {
		t.Errorf("layout %+v", l)
	}
	if len(l.parameters) != 2 || l.parameters[0].name != "n" || m.word(l.parameters[0].address) != 1024 ||
		m.word(l.parameters[1].address) != 3 {
		t.Errorf("parameters %+v", l.parameters)
	}
	if len(m.segments) != 1 || m.segments[0].address != 0 || m.end() < uint64(l.inputs[0].address)+4096 {
		t.Errorf("%d segments, end %#x", len(m.segments), m.end())
	}
}

// These are offsets in Elf32_Ehdr and Elf32_Phdr (System V ABI).
const (
	atEntry                             = 24
	programHeader                       = 52
	atAddress, atFileSize, atMemorySize = programHeader + 8, programHeader + 16, programHeader + 20
)

func TestELFRefusals(t *testing.T) {
	good := example(t, "tensix_add.elf")
	put32 := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	put16 := func(at int, v uint16) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint16(b[at:], v); return b }
	}
	// rename changes symbol names in the string table. The lengths must be equal.
	rename := func(from, to string) func([]byte) []byte {
		return func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("\x00"+from+"\x00"), []byte("\x00"+to+"\x00"))
		}
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"cut off", func(b []byte) []byte { return b[:40] }, "damaged"},
		{"segment cut off", put32(atFileSize, 1<<19), "are not in L1"},
		{"in the file", func(b []byte) []byte { return put32(atMemorySize, 1<<20)(put32(atFileSize, 1<<19)(b)) },
			"the file is cut off: it has"},
		{"64 bits", func(b []byte) []byte { b[4] = 2; return b }, "it is of class ELFCLASS64"},
		{"stripped", put16(atSectionCount, 0), "no symbols, which say where mailbox and buffers are"},
		{"sections cut off", put16(atSectionCount, 60000), "no table of sections that can be read"},
		{"compressed symbols", func(b []byte) []byte {
			at := int(binary.LittleEndian.Uint32(b[atSections:]))
			for i := range int(binary.LittleEndian.Uint16(b[atSectionCount:])) {
				b[at+i*sectionBytes+atSectFlags+1] |= byte(elf.SHF_COMPRESSED >> 8)
			}
			return b
		}, "is compressed; link it without"},
		{"other machine", put16(atMachine, uint16(elf.EM_ARM)), "for the machine EM_ARM; want RISC-V"},
		{"object", put16(atType, uint16(elf.ET_REL)), "object file; link it"},
		{"shared", put16(atType, uint16(elf.ET_DYN)), "want a static executable"},
		{"compressed", put32(atFlags, 1), "-march=rv32im"},
		{"hard float", put32(atFlags, 2), "-mabi=ilp32"},
		{"too high", put32(atAddress, 0xFFB00000), "are not in L1, which ends at 0x180000"},
		{"too large", put32(atMemorySize, 2<<20), "are not in L1"},
		{"entry outside", put32(atEntry, 0x100000), "its entry 0x100000 is no instruction of its segments"},
		{"no room for a jump", put32(atEntry, 0x44), "no room for a jump"},
		{"nothing at 0", put32(atAddress, 64), "its entry is 0x0 and it has nothing there"},
		{"no mailbox", rename("mailbox", "letters"), "it has no symbol mailbox of 16 bytes"},
		{"a gap", rename("input1", "input2"), "no input1; number them from 0"},
		{"twice", rename("input1", "input0"), "there are two symbols input0"},
	} {
		_, err := readELF(c.change(bytes.Clone(good)), brisc.start)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
}

// TestJump checks that an entry that is not at 0 is reached by a jump, and decodes the target from the two
// instructions.
func TestJump(t *testing.T) {
	for _, target := range []uint32{8, 0x7fc, 0x800, 0xffc, 0x1000, 0x17ff8, 0x17fffc} {
		b := jumpTo(target)
		lui, jalr := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		got := lui&^0xfff + uint32(int32(jalr)>>20)
		if got != target || lui&0xfff != 5<<7|0x37 || jalr&0xfffff != 5<<15|0x67 {
			t.Errorf("jump to %#x: %#x %#x go to %#x", target, lui, jalr, got)
		}
	}
	moved := example(t, "tensix_add.elf")
	binary.LittleEndian.PutUint32(moved[atAddress:], 0x1000)
	binary.LittleEndian.PutUint32(moved[atEntry:], 0x1000)
	m, err := readELF(moved, brisc.start)
	if err != nil || len(m.segments) != 2 || m.segments[1].address != 0 ||
		!bytes.Equal(m.segments[1].data, jumpTo(0x1000)) {
		t.Errorf("%v, %+v", err, m.segments)
	}
}

func TestFlatLayout(t *testing.T) {
	m, err := flatImage([]byte{0x6f, 0, 0, 0},
		"mailbox=0x20000 input0=0x10000:16x4xui8 output0=65600:f32 param_n=0x2000c load=0x400")
	if err == nil || !strings.Contains(err.Error(), "mailbox at 0x20000 and param_n at 0x2000c overlap") {
		t.Errorf("error %v", err)
	}
	m, err = flatImage([]byte{0x6f, 0, 0, 0},
		"mailbox=0x20000 input0=0x10000:16x4xui8 output0=65600:f32 param_n=0x20010 load=0x400")
	if err != nil || m.layout.inputs[0].bytes() != 64 || m.layout.outputs[0].address != 65600 ||
		m.layout.outputs[0].bytes() != 4 || m.segments[0].address != 0x400 || len(m.segments) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	for text, want := range map[string]string{
		"":                                      "it does not say where the mailbox is",
		"mailbox":                               `"mailbox": want NAME=ADDRESS`,
		"mailbox=0x200000":                      "the address below 0x180000",
		"mailbox=8 mailbox=16":                  "there are two of that name",
		"mailbox=2":                             "want a multiple of 4",
		"mailbox=0x17fff8":                      "mailbox has 16 bytes at 0x17fff8, and L1 ends at 0x180000",
		"mailbox=64 input0=128":                 "or a buffer with its type",
		"mailbox=64 input0=128:4xf31":           "want a type after the address",
		"mailbox=64 input0=128:4xf32=1":         "want a type after the address",
		"mailbox=64 in=128:4xf32":               "want a buffer named input0",
		"mailbox=64 input0=128:0xf32":           "no buffer in L1 holds",
		"mailbox=64 input0=128:9999999999xi8":   "no buffer in L1 holds",
		"mailbox=64 output1=128:i32":            "no output0; number them from 0",
		"mailbox=64 input0=72:i32":              "overlap",
		"mailbox=64 load=4":                     "want 0, or a multiple of 4 that leaves 8 bytes for a jump",
		"mailbox=64 load=0x17fffe output0=0:i8": "want 0, or a multiple",
	} {
		if _, err := flatImage(make([]byte, 2), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
	if _, err := flatImage(nil, "mailbox=64"); err == nil {
		t.Error("an empty file was loaded")
	}
}

// FuzzReadELF checks that every accepted image lies in L1, and that reading it takes no more memory than one L1 beside
// the file.
func FuzzReadELF(f *testing.F) {
	for _, name := range []string{"tensix_add.elf", "tensix_scale.elf"} {
		f.Add(example(f, name))
	}
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readELF(data, brisc.start)
		if err != nil {
			return
		}
		if m.end() > largestL1 {
			t.Errorf("the image ends at %#x", m.end())
		}
		for _, p := range m.layout.places() {
			if uint64(p.address)+uint64(p.bytes()) > largestL1 || p.bytes() < 1 {
				t.Errorf("%+v is not in L1", p)
			}
		}
	})
}

// FuzzLayoutText checks that every accepted layout lies in L1.
func FuzzLayoutText(f *testing.F) {
	f.Add("mailbox=0x20000 input0=0x10000:1024xi32 output0=0x20010:i32 param_n=0x20014 load=0")
	f.Add("mailbox=1 input0=2:9223372036854775807xf64")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := flatImage(make([]byte, 16), text)
		if err == nil && m.end() > largestL1 {
			t.Errorf("%q ends at %#x", text, m.end())
		}
	})
}
