package hexagon

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unsafe"
)

// request is what the harness reads, before the memory (harness/harness.c).
type request struct{ magic, address, bytes, pipeline uint32 }

// reply is what the harness writes, before texts and memory.
type reply struct {
	magic                                             uint32
	status                                            int32
	packets, instructions, vectorInstructions, length uint32
}

var (
	_ [16]struct{} = [unsafe.Sizeof(request{})]struct{}{}
	_ [24]struct{} = [unsafe.Sizeof(reply{})]struct{}{}
)

const (
	magic        = 0x4b4d_5a48 // "HZMK"
	replyBytes   = int(unsafe.Sizeof(reply{}))
	maxTextBytes = 4096 // texts in the harness
)

// Counts are what the emulator has counted in a call, without what an empty call counts. They wrap at 2^32.
type Counts struct {
	Packets, Instructions int64
	VectorInstructions    int64 // those for the vector unit
}

// Reply is the outcome of a call that has ended.
type Reply struct {
	Status int32  // that the pipeline has returned; 0: no error
	Text   string // of its errors
	Counts Counts
}

// encode returns the request for a call of a pipeline, which is a number in the table of the program.
func (m *Memory) encode(pipeline int) []byte {
	b := make([]byte, 0, int(unsafe.Sizeof(request{}))+len(m.bytes))
	q := request{magic, memoryAddress, uint32(len(m.bytes)), uint32(pipeline)}
	for _, word := range []uint32{q.magic, q.address, q.bytes, q.pipeline} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return append(b, m.bytes...)
}

// decode reads a reply and takes over the memory that comes with it.
func (m *Memory) decode(b []byte) (Reply, error) {
	if len(b) < replyBytes {
		return Reply{}, fmt.Errorf("the reply ends at byte %d of its %d: %w", len(b), replyBytes, io.ErrUnexpectedEOF)
	}
	var layout reply
	word := func(offset uintptr) uint32 { return binary.LittleEndian.Uint32(b[offset:]) }
	if got := word(unsafe.Offsetof(layout.magic)); got != magic {
		return Reply{}, fmt.Errorf("the reply begins with %#x and not with %#x: the pipeline has printed something, or "+
			"has overwritten the harness", got, magic)
	}
	length := word(unsafe.Offsetof(layout.length))
	if length > maxTextBytes || len(b) != replyBytes+int(length)+len(m.bytes) {
		return Reply{}, fmt.Errorf("the reply has %d bytes after its head; want %d of text and %d of memory",
			len(b)-replyBytes, length, len(m.bytes))
	}
	r := Reply{
		Status: int32(word(unsafe.Offsetof(layout.status))),
		Counts: Counts{
			Packets:            int64(word(unsafe.Offsetof(layout.packets))),
			Instructions:       int64(word(unsafe.Offsetof(layout.instructions))),
			VectorInstructions: int64(word(unsafe.Offsetof(layout.vectorInstructions))),
		},
	}
	b = b[replyBytes:]
	r.Text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(string(b[:length]), "�"), "\n", "; "))
	r.Text = strings.TrimSuffix(r.Text, ";")
	copy(m.bytes, b[length:])
	return r, nil
}
