// Package tracytest makes Tracy captures of known content in memory, for the tests of the packages that read them.
// It knows the layouts of the file by itself and imports none of those packages.
package tracytest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// BlockSize is what every block but the last of a file inflates to (FileBufSize in Tracy's TracyFileRead.hpp).
const BlockSize = 64 << 10

// Newest is the newest version of the format that the streams have.
const Newest = 14 << 8

// VersionOf orders versions of the format.
func VersionOf(major, minor, patch uint8) uint32 {
	return uint32(major)<<16 | uint32(minor)<<8 | uint32(patch)
}

// Stream writes an inflated stream in the layout of a version.
type Stream struct {
	bytes.Buffer
	Version uint32 // of VersionOf
	Crash   []any  // instead of no crash
	Dynamic int    // dynamic locations beyond the first
}

// Put writes values as the file holds them: numbers in little endian, strings behind their length.
func (w *Stream) Put(values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			w.Put(uint64(len(s)), []byte(s))
		} else if err := binary.Write(&w.Buffer, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

// Put24 writes a number of three bytes.
func (w *Stream) Put24(v uint32) { w.Put(uint8(v), uint8(v>>8), uint8(v>>16)) }

// Since writes values that only files from a version on hold.
func (w *Stream) Since(v uint32, values ...any) {
	if w.Version >= v {
		w.Put(values...)
	}
}

// The strings of the synthetic capture.
var syntheticStrings = []string{"", "outer", "run()", "main.c", "own name", "inv=7\n42 [0x2a]", "worker", "kernel",
	"a plot", "said, \"twice\"", "frames", "Vulkan queue", "build 7"}

func stringAt(i int) []any { return []any{uint64(i), uint8(3)} }
func address(i int) uint64 { return 0x1000 + uint64(i) }
func noString() []any      { return []any{uint64(0), uint8(0)} }

// Header writes parts 1 to 3.
func (w *Stream) Header(lastTime int64) {
	w.Put([]byte("tracy"), uint8(w.Version>>16), uint8(w.Version>>8), uint8(w.Version))
	if w.Version < VersionOf(0, 12, 3) {
		w.Put(uint64(11))
	}
	w.Put(uint64(15), 1.5, lastTime, uint64(3), uint64(4711), int64(0), uint8(2), uint32(9), []byte("AuthenticAMD"))
	w.Since(VersionOf(0, 9, 2), uint8(1))
	w.Put("capture", "program", uint64(1700000000), uint64(5), "host")
	w.Put(uint64(1), uint32(0), uint64(1))
	w.Since(VersionOf(0, 11, 2), uint32(0), uint64(1))
	w.Put(uint32(0), uint64(2), uint32(0), uint32(1))
	if w.Crash == nil {
		w.Crash = []any{make([]byte, 28)}
	}
	w.Put(w.Crash...)
}

// Tables writes parts 4 to 9.
func (w *Stream) Tables() {
	w.Put(uint64(2))
	w.Put(uint64(0), uint8(1), uint64(3), int64(10), int32(-1), int64(5), int32(-1), int64(7), int32(-1))
	w.Put(uint64(77), uint8(0), uint64(2), int64(100), int64(20), int32(-1), int64(30), int64(-151), int32(-1))
	switch {
	case w.Version >= VersionOf(0, 13, 5):
		w.Put(uint64(1), uint16(1), uint64(2), make([]byte, 30), uint64(1), uint16(1))
		w.Put24(1)
	case w.Version == VersionOf(0, 13, 4):
		w.Put(uint64(2), make([]byte, 30))
	}
	w.Put(uint64(len(syntheticStrings)))
	for i, s := range syntheticStrings {
		w.Put(address(i), s)
	}
	w.Put(uint64(3), uint64(77), address(10), uint64(88), address(8), uint64(99), uint64(1))
	w.Put(uint64(1), uint64(501), address(6))
	w.Put(uint64(1), make([]byte, 24))
	w.Put(uint64(3), uint64(0), uint64(500), uint64(501))
	w.Put(uint64(1), uint64(9))
	w.Put(uint64(2))
	for i, name := range [][]any{stringAt(1), noString()} {
		w.Put(address(90 + i))
		w.Put(name...)
		w.Put(stringAt(2)...)
		w.Put(stringAt(3)...)
		w.Put(uint32(10+i), uint32(0xFF00))
	}
	w.Put(uint64(3), uint64(0), address(91), address(90))
	w.Put(uint64(1 + w.Dynamic))
	for range 1 + w.Dynamic {
		w.Put(stringAt(7)...)
		w.Put(stringAt(2)...)
		w.Put(stringAt(3)...)
		w.Put(uint32(99), uint32(0))
	}
}

// Side writes parts 10 to 13.
func (w *Stream) Side() {
	w.Put(uint64(1), int16(1), uint64(2), uint64(0))
	w.Put(uint64(1), uint32(1))
	w.Put24(0)
	w.Put(int16(1), uint8(0), uint8(1), int64(1), int64(2), uint64(1), uint64(500), uint64(2), make([]byte, 24))
	w.Put(uint64(2))
	for i := range 2 {
		w.Put(address(200+i), int64(1000))
		w.Put(stringAt(9)...)
		w.Put(uint32(i), []byte{0, 0, 0})
		w.Since(VersionOf(0, 13, 2), uint8(1), uint8(2))
	}
	w.Put(uint64(2), make([]byte, 12), []byte{0, 0, 0})
	w.Put24(5 + 1)
	w.Put24(4 + 1)
	w.Put24(0x00ABCDEF)
}

// Thread writes the head of a thread with its roots.
func (w *Stream) Thread(id uint64, count int, roots uint32) {
	w.Put(id, uint64(count), uint64(0), uint8(0))
	w.Since(VersionOf(0, 11, 1), int32(0))
	w.Put(roots)
}

// Zones writes part 14. Thread 500 has an outer zone with two children, of which the second is still open, as is the
// outer one; thread 501 has a zone with a child that has one.
func (w *Stream) Zones() {
	w.Put(uint64(6), uint64(3), uint64(2))
	w.Thread(500, 3, 1)
	w.Put(int16(2), int64(1000), uint32(1), uint32(2)) // at 1000
	w.Put(int16(1), int64(10), uint32(0), uint32(0), int64(90))
	w.Put(int16(-1), int64(100), uint32(0), uint32(0), int64(-1201)) // 1200 … -1
	w.Put(int64(0))
	w.Put(uint64(1), address(201), uint64(1), make([]byte, 11), uint64(2), make([]byte, 22))
	w.Thread(501, 3, 1)
	w.Put(int16(-1), int64(2000), uint32(0), uint32(1))
	w.Put(int16(1), int64(100), uint32(0), uint32(1))
	w.Put(int16(2), int64(100), uint32(0), uint32(0), int64(300), int64(100), int64(400))
	w.Put(uint64(0), uint64(0), uint64(0))
}

// GPU writes part 15: a context of many threads with two zones, one in the other, and one of thread 501 with a zone
// that never ended.
func (w *Stream) GPU() {
	w.Put(uint64(3), uint64(1), uint64(2))
	queries := func() { w.Since(VersionOf(0, 12, 4), uint16(3)) }
	w.Put(uint64(0), uint8(1), uint64(2), float32(1), uint8(2))
	w.Put24(11 + 1)
	w.Put(uint64(0))
	w.Since(VersionOf(0, 12, 4), uint64(1), int64(4), []byte{1, 0, 0})
	w.Put(uint64(1), uint64(500), uint64(1))
	w.Put(int64(1100), int64(1150), int16(1), []byte{0, 0, 0}, uint16(1), uint64(1))
	w.Put(int64(10), int64(20), int16(-1), []byte{0, 0, 0}, uint16(1), uint64(0), int64(10), int64(100))
	queries()
	w.Put(int64(30), int64(30))
	queries()
	w.Since(VersionOf(0, 12, 4), uint64(1), uint16(3), uint64(1), int64(4), 2.5)

	w.Put(uint64(501), uint8(0), uint64(1), float32(1), uint8(8))
	w.Put24(0)
	w.Put(uint64(0))
	w.Since(VersionOf(0, 12, 4), uint64(0))
	w.Put(uint64(1), uint64(0), uint64(1))
	w.Put(int64(5000), int64(5100), int16(2), []byte{0, 0, 0}, uint16(0), uint64(0), int64(50), int64(-5101))
	queries()
	w.Since(VersionOf(0, 12, 4), uint64(0))
}

// Rest writes parts 16 and 17 as far as they are read.
func (w *Stream) Rest() {
	w.Put(uint64(2))
	w.Put(uint8(0), []byte{0, 0, 0}, uint32(0), uint64(88), 1.0, 2.0, 3.0, uint64(2), int64(7), 1.0, int64(3), 2.0)
	w.Put(uint8(2), []byte{0, 0, 0}, uint32(0), uint64(0), 5.0, 5.0, 5.0, uint64(1), int64(8), 5.0)
	w.Put(uint64(1), uint64(1), uint64(0), uint64(1), uint64(1), uint64(0), make([]byte, 42), make([]byte, 32))
	w.Put(uint64(1), uint16(2), make([]byte, 16))
	w.Put(uint64(1), uint64(1), uint8(2), []byte{0, 0, 0}, make([]byte, 36))
	w.Put(uint64(1))
	w.Put(stringAt(12)...)
	w.Put(uint32(0), uint64(0))
}

// Small is the inflated stream of a small capture that has something of everything.
func Small(v uint32) []byte {
	w := Stream{Version: v}
	w.Everything()
	return w.Bytes()
}

// Everything writes all parts of a small capture.
func (w *Stream) Everything() {
	w.Header(9000)
	w.Tables()
	w.Side()
	w.Zones()
	w.GPU()
	w.Rest()
}

// Repeated is a capture of one thread with n zones of two levels.
func Repeated(v uint32, n int) []byte {
	w := Stream{Version: v}
	w.repeatedHead(n)
	w.Write(repeatedPairs(v, 0, n/2))
	w.repeatedEnd()
	return w.Bytes()
}

// A Form is one way to pack a stream.
type Form struct {
	Name    string
	Magic   []byte
	Zstd    bool
	Streams int
}

// Forms returns the containers of all versions.
func Forms() []Form {
	return []Form{
		{"LZ4 of 0.10", []byte{'t', 'l', 'Z', 4}, false, 1},
		{"zstd of 0.10", []byte("tZst"), true, 1},
		{"LZ4, 1 stream", []byte{'t', 'r', 0xFD, 'P', 0, 1}, false, 1},
		{"LZ4, 3 streams", []byte{'t', 'r', 0xFD, 'P', 0, 3}, false, 3},
		{"zstd, 4 streams", []byte{'t', 'r', 0xFD, 'P', 1, 4}, true, 4},
		{"zstd, 255 streams", []byte{'t', 'r', 0xFD, 'P', 1, 255}, true, 255},
	}
}

// Pack makes a container of a stream.
func (form Form) Pack(tb testing.TB, stream []byte) []byte {
	out := bytes.Clone(form.Magic)
	frames := make([]*zstd.Encoder, form.Streams)
	buffers := make([]bytes.Buffer, form.Streams)
	for i := 0; len(stream) > 0; i++ {
		n := min(len(stream), BlockSize)
		var block []byte
		if s := i % form.Streams; form.Zstd {
			block = flushed(tb, &frames[s], &buffers[s], stream[:n])
		} else {
			block = make([]byte, lz4.CompressBlockBound(n))
			k, err := lz4.CompressBlock(stream[:n], block, nil)
			if block = block[:k]; err != nil || k == 0 {
				block = Literals(stream[:n])
			}
		}
		stream = stream[n:]
		out = AppendBlock(out, block)
	}
	return out
}

// AppendBlock adds a block to a container.
func AppendBlock(container, block []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(container, uint32(len(block))), block...)
}

// flushed writes a block to a zstd frame, and returns what came out.
func flushed(tb testing.TB, frame **zstd.Encoder, buffer *bytes.Buffer, block []byte) []byte {
	var err error
	if *frame == nil {
		*frame, err = zstd.NewWriter(buffer, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<21),
			zstd.WithSingleSegment(false), zstd.WithEncoderCRC(false))
	}
	if err == nil {
		_, err = (*frame).Write(block)
	}
	if err == nil {
		err = (*frame).Flush()
	}
	if err != nil {
		tb.Fatal(err)
	}
	out := bytes.Clone(buffer.Bytes())
	buffer.Reset()
	return out
}

// Literals is an LZ4 block without a reference.
func Literals(b []byte) []byte {
	if len(b) < 15 {
		return append([]byte{byte(len(b) << 4)}, b...)
	}
	out := []byte{0xF0}
	n := len(b) - 15
	for ; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), b...)
}
