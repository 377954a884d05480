package trace

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"zonemark/trace/internal/tracytest"
)

// TestBombs reads small files that inflate to a lot: of zone extras, and of zones within zones. They may not fill the
// memory.
func TestBombs(t *testing.T) {
	extras := tracytest.Stream{Version: uint32(version0_14)}
	extras.Header(1)
	extras.Tables()
	extras.Side()
	extras.Truncate(extras.Len() - 2*12 - 8)
	extras.Put(uint64(8 << 20))
	extras.Write(make([]byte, 12*8<<20))

	nested := tracytest.Stream{Version: uint32(version0_14)}
	nested.Header(1)
	nested.Tables()
	nested.Side()
	nested.Put(uint64(1), uint64(1), uint64(1))
	nested.Thread(500, 1, 1)
	nested.Write(bytes.Repeat([]byte{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, 3<<20))

	gpu := tracytest.Stream{Version: uint32(version0_14)}
	gpu.Header(1)
	gpu.Tables()
	gpu.Side()
	gpu.Zones()
	gpu.Put(uint64(1), uint64(1), uint64(1), uint64(0), uint8(1), uint64(2), float32(1), uint8(2))
	gpu.Put24(0)
	gpu.Put(uint64(0), uint64(0), uint64(1), uint64(500), uint64(1))
	zone := make([]byte, gpuHead)
	zone[gpuHead-8] = 1
	gpu.Write(bytes.Repeat(zone, 1<<20))

	for name, w := range map[string]*tracytest.Stream{"extras": &extras, "zones": &nested, "GPU zones": &gpu} {
		data := tracytest.Forms()[4].Pack(t, w.Bytes())
		tracytest.CheckMemory(t, len(data), 7, func() {
			f, err := openBytes(t, data)
			if err == nil {
				_, err = drain(f)
				f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "take more memory than a file of this size") {
				t.Errorf("%s, %d bytes: %v", name, len(data), err)
			}
			checkFormatError(t, err)
		})
	}
}

// TestGreedyWindows opens a file of 255 streams that each ask for a window of 128 MiB.
func TestGreedyWindows(t *testing.T) {
	form := tracytest.Forms()[5]
	data := form.Pack(t, tracytest.Repeated(uint32(version0_14), 1_000_000))
	patched := 0
	for offset := len(form.Magic); offset < len(data) && patched < 255; patched++ {
		frame := data[offset+4:]
		if binary.LittleEndian.Uint32(frame) != 0xFD2FB528 {
			t.Fatalf("no frame at byte %d", offset)
		}
		frame[5] = (27 - 10) << 3
		offset += 4 + int(binary.LittleEndian.Uint32(data[offset:]))
	}
	if patched != 255 {
		t.Fatalf("%d streams", patched)
	}
	tracytest.CheckMemory(t, len(data), 1, func() {
		f, err := openBytes(t, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range f.Zones() {
			if err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
	})
}

func TestBoundWindow(t *testing.T) {
	frame := func(descriptor, window byte) []byte { return []byte{0x28, 0xB5, 0x2F, 0xFD, descriptor, window, 0} }
	for _, c := range []struct {
		in      []byte
		length  uint64
		window  byte
		allowed uint64
		ok      bool
	}{
		{frame(0, 11<<3), blockSize, 7 << 3, 1 << 17, true},
		{frame(0, 11<<3), 1 << 21, 11 << 3, 1 << 21, true},
		{frame(0, 11<<3), 1 << 30, 11 << 3, maxWindow, true},
		{frame(0, 11<<3+1), 1 << 21, 11 << 3, 1 << 21, true},
		{frame(0, 5<<3), 1 << 21, 5 << 3, 1 << 21, true},
		{frame(0, 17<<3+1), 1 << 30, 0, 0, false},
		{frame(0, 31<<3), 1 << 30, 0, 0, false},
		{frame(1<<5, 0), blockSize, 0, 0, false},
		{[]byte{0x28, 0xB5, 0x2F, 0xFD, 0}, blockSize, 0, 0, false},
		{[]byte("not zstd"), blockSize, 0, 0, false},
	} {
		allowed, err := boundWindow(c.in, c.length)
		if (err == nil) != c.ok || allowed != c.allowed || c.ok && c.in[5] != c.window {
			t.Errorf("%x: %d, %v", c.in, allowed, err)
		}
	}
}
