package trace

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// streamWriter writes an inflated stream in the layout of a version.
type streamWriter struct {
	bytes.Buffer
	version version
}

func (w *streamWriter) put(values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			w.put(uint64(len(s)), []byte(s))
		} else if err := binary.Write(&w.Buffer, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

func (w *streamWriter) put24(v uint32) { w.put(uint8(v), uint8(v>>8), uint8(v>>16)) }

// since writes values that only files from a version on hold.
func (w *streamWriter) since(v version, values ...any) {
	if w.version >= v {
		w.put(values...)
	}
}

// The strings of the synthetic capture.
var syntheticStrings = []string{"", "outer", "run()", "main.c", "own name", "inv=7\n42 [0x2a]", "worker", "kernel", "a plot", "said, \"twice\"", "frames", "Vulkan queue", "build 7"}

func stringAt(i int) []any { return []any{uint64(i), uint8(3)} }
func address(i int) uint64 { return 0x1000 + uint64(i) }
func noString() []any      { return []any{uint64(0), uint8(0)} }

// header writes parts 1 to 3.
func (w *streamWriter) header(lastTime int64) {
	w.put([]byte("tracy"), uint8(w.version>>16), uint8(w.version>>8), uint8(w.version))
	if w.version < version0_12_3 {
		w.put(uint64(11))
	}
	w.put(uint64(15), 1.5, lastTime, uint64(3), uint64(4711), int64(0), uint8(2), uint32(9), []byte("AuthenticAMD"))
	w.since(version0_9_2, uint8(1))
	w.put("capture", "program", uint64(1700000000), uint64(5), "host")
	w.put(uint64(1), uint32(0), uint64(1))
	w.since(version0_11_2, uint32(0), uint64(1))
	w.put(uint32(0), uint64(2), uint32(0), uint32(1))
	w.put(make([]byte, 28))
}

// tables writes parts 4 to 9.
func (w *streamWriter) tables() {
	w.put(uint64(2))
	w.put(uint64(0), uint8(1), uint64(3), int64(10), int32(-1), int64(5), int32(-1), int64(7), int32(-1))
	w.put(uint64(77), uint8(0), uint64(2), int64(100), int64(20), int32(-1), int64(30), int64(-151), int32(-1))
	switch {
	case w.version >= version0_13_5:
		w.put(uint64(1), uint16(1), uint64(2), make([]byte, 30), uint64(1), uint16(1))
		w.put24(1)
	case w.version == version0_13_4:
		w.put(uint64(2), make([]byte, 30))
	}
	w.put(uint64(len(syntheticStrings)))
	for i, s := range syntheticStrings {
		w.put(address(i), s)
	}
	w.put(uint64(3), uint64(77), address(10), uint64(88), address(8), uint64(99), uint64(1))
	w.put(uint64(1), uint64(501), address(6))
	w.put(uint64(1), make([]byte, 24))
	w.put(uint64(3), uint64(0), uint64(500), uint64(501))
	w.put(uint64(1), uint64(9))
	w.put(uint64(2))
	for i, name := range [][]any{stringAt(1), noString()} {
		w.put(address(90 + i))
		w.put(name...)
		w.put(stringAt(2)...)
		w.put(stringAt(3)...)
		w.put(uint32(10+i), uint32(0xFF00))
	}
	w.put(uint64(3), uint64(0), address(91), address(90))
	w.put(uint64(1))
	w.put(stringAt(7)...)
	w.put(stringAt(2)...)
	w.put(stringAt(3)...)
	w.put(uint32(99), uint32(0))
}

// side writes parts 10 to 13.
func (w *streamWriter) side() {
	w.put(uint64(1), int16(1), uint64(2), uint64(0))
	w.put(uint64(1), uint32(1))
	w.put24(0)
	w.put(int16(1), uint8(0), uint8(1), int64(1), int64(2), uint64(1), uint64(500), uint64(2), make([]byte, 24))
	w.put(uint64(2))
	for i := range 2 {
		w.put(address(200+i), int64(1000))
		w.put(stringAt(9)...)
		w.put(uint32(i), []byte{0, 0, 0})
		w.since(version0_13_2, uint8(1), uint8(2))
	}
	w.put(uint64(2), make([]byte, 12), []byte{0, 0, 0})
	w.put24(5 + 1)
	w.put24(4 + 1)
	w.put24(0x00ABCDEF)
}

// thread writes the head of a thread with its roots.
func (w *streamWriter) thread(id uint64, count int, roots uint32) {
	w.put(id, uint64(count), uint64(0), uint8(0))
	w.since(version0_11_1, int32(0))
	w.put(roots)
}

// zones writes part 14. Thread 500 has an outer zone with two children, of which the second is still open, as is the outer one; thread 501 has a zone with a
// child that has one.
func (w *streamWriter) zones() {
	w.put(uint64(6), uint64(3), uint64(2))
	w.thread(500, 3, 1)
	w.put(int16(2), int64(1000), uint32(1), uint32(2)) // at 1000
	w.put(int16(1), int64(10), uint32(0), uint32(0), int64(90))
	w.put(int16(-1), int64(100), uint32(0), uint32(0), int64(-1201)) // 1200 … -1
	w.put(int64(0))
	w.put(uint64(1), address(201), uint64(1), make([]byte, 11), uint64(2), make([]byte, 22))
	w.thread(501, 3, 1)
	w.put(int16(-1), int64(2000), uint32(0), uint32(1))
	w.put(int16(1), int64(100), uint32(0), uint32(1))
	w.put(int16(2), int64(100), uint32(0), uint32(0), int64(300), int64(100), int64(400))
	w.put(uint64(0), uint64(0), uint64(0))
}

// gpu writes part 15: a context of many threads with two zones, one in the other, and one of thread 501 with a zone that never ended.
func (w *streamWriter) gpu() {
	w.put(uint64(3), uint64(1), uint64(2))
	queries := func() { w.since(version0_12_4, uint16(3)) }
	w.put(uint64(0), uint8(1), uint64(2), float32(1), uint8(2))
	w.put24(11 + 1)
	w.put(uint64(0))
	w.since(version0_12_4, uint64(1), int64(4), []byte{1, 0, 0})
	w.put(uint64(1), uint64(500), uint64(1))
	w.put(int64(1100), int64(1150), int16(1), []byte{0, 0, 0}, uint16(1), uint64(1))
	w.put(int64(10), int64(20), int16(-1), []byte{0, 0, 0}, uint16(1), uint64(0), int64(10), int64(100))
	queries()
	w.put(int64(30), int64(30))
	queries()
	w.since(version0_12_4, uint64(1), uint16(3), uint64(1), int64(4), 2.5)

	w.put(uint64(501), uint8(0), uint64(1), float32(1), uint8(8))
	w.put24(0)
	w.put(uint64(0))
	w.since(version0_12_4, uint64(0))
	w.put(uint64(1), uint64(0), uint64(1))
	w.put(int64(5000), int64(5100), int16(2), []byte{0, 0, 0}, uint16(0), uint64(0), int64(50), int64(-5101))
	queries()
	w.since(version0_12_4, uint64(0))
}

// rest writes parts 16 and 17 as far as they are read.
func (w *streamWriter) rest() {
	w.put(uint64(2))
	w.put(uint8(0), []byte{0, 0, 0}, uint32(0), uint64(88), 1.0, 2.0, 3.0, uint64(2), int64(7), 1.0, int64(3), 2.0)
	w.put(uint8(2), []byte{0, 0, 0}, uint32(0), uint64(0), 5.0, 5.0, 5.0, uint64(1), int64(8), 5.0)
	w.put(uint64(1), uint64(1), uint64(0), uint64(1), uint64(1), uint64(0), make([]byte, 42), make([]byte, 32))
	w.put(uint64(1), uint16(2), make([]byte, 16))
	w.put(uint64(1), uint64(1), uint8(2), []byte{0, 0, 0}, make([]byte, 36))
	w.put(uint64(1))
	w.put(stringAt(12)...)
	w.put(uint32(0), uint64(0))
}

// syntheticStream is the inflated stream of a small capture that has something of everything.
func syntheticStream(v version) []byte {
	w := streamWriter{version: v}
	w.header(9000)
	w.tables()
	w.side()
	w.zones()
	w.gpu()
	w.rest()
	return w.Bytes()
}

// repeatedStream is a capture of one thread with n zones of two levels.
func repeatedStream(v version, n int) []byte {
	w := streamWriter{version: v}
	w.header(math.MaxInt32)
	w.tables()
	w.side()
	w.put(uint64(n), uint64(n/2), uint64(1))
	w.thread(500, n, uint32(n/2))
	for i := range n / 2 {
		w.put(int16(i%2+1), int64(i%50), uint32(0), uint32(1))
		w.put(int16(-1), int64(10+i%7), uint32(i%20/19), uint32(0), int64(100+i%90), int64(5))
	}
	w.put(uint64(0), uint64(0), uint64(0))
	w.gpu()
	w.rest()
	return w.Bytes()
}

// A containerForm is one way to pack a stream.
type containerForm struct {
	name    string
	magic   []byte
	zstd    bool
	streams int
}

func containerForms() []containerForm {
	return []containerForm{
		{"LZ4 of 0.10", []byte{'t', 'l', 'Z', 4}, false, 1},
		{"zstd of 0.10", []byte("tZst"), true, 1},
		{"LZ4, 1 stream", []byte{'t', 'r', 0xFD, 'P', 0, 1}, false, 1},
		{"LZ4, 3 streams", []byte{'t', 'r', 0xFD, 'P', 0, 3}, false, 3},
		{"zstd, 4 streams", []byte{'t', 'r', 0xFD, 'P', 1, 4}, true, 4},
		{"zstd, 255 streams", []byte{'t', 'r', 0xFD, 'P', 1, 255}, true, 255},
	}
}

// pack makes a container of a stream.
func (form containerForm) pack(tb testing.TB, stream []byte) []byte {
	out := bytes.Clone(form.magic)
	frames := make([]*zstd.Encoder, form.streams)
	buffers := make([]bytes.Buffer, form.streams)
	for i := 0; len(stream) > 0; i++ {
		n := min(len(stream), blockSize)
		var block []byte
		if s := i % form.streams; form.zstd {
			block = flushed(tb, &frames[s], &buffers[s], stream[:n])
		} else {
			block = make([]byte, lz4.CompressBlockBound(n))
			k, err := lz4.CompressBlock(stream[:n], block, nil)
			if block = block[:k]; err != nil || k == 0 {
				block = literals(stream[:n])
			}
		}
		stream = stream[n:]
		out = appendBlock(out, block)
	}
	return out
}

// appendBlock adds a block to a container.
func appendBlock(container, block []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(container, uint32(len(block))), block...)
}

// flushed writes a block to a zstd frame, and returns what came out.
func flushed(tb testing.TB, frame **zstd.Encoder, buffer *bytes.Buffer, block []byte) []byte {
	var err error
	if *frame == nil {
		*frame, err = zstd.NewWriter(buffer, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<21), zstd.WithSingleSegment(false), zstd.WithEncoderCRC(false))
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

// literals is an LZ4 block without a reference.
func literals(b []byte) []byte {
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
