package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// maxWindow is the window of zstd's highest level, 22.
const maxWindow = 128 << 20

// boundWindow lowers the window that a zstd frame asks for, in its header, to what a stream of at most length bytes can
// use, and returns the most that is to be allowed. No reference reaches farther back than the stream is long, but a
// decoder allocates the window before it has seen any content: a file of a few bytes may not make it take 128 MiB for
// each of 255 streams. Layout: RFC 8878, section 3.1.1.1.
func boundWindow(frame []byte, length uint64) (allowed uint64, err error) {
	if len(frame) < 6 || binary.LittleEndian.Uint32(frame) != 0xFD2FB528 {
		return 0, errors.New("the stream does not begin with a zstd frame")
	}
	const singleSegment = 1 << 5
	if frame[4]&singleSegment != 0 {
		// The window is the size of the content, and that is stored.
		return 0, errors.New("a zstd frame of known length, which Tracy does not write")
	}
	descriptor := frame[5]
	base := uint64(1) << (10 + descriptor>>3)
	window := base + base/8*uint64(descriptor&7)
	if window > maxWindow {
		return 0, fmt.Errorf("a zstd window of %d bytes; at most %d are known", window, maxWindow)
	}
	enough := max(bits.Len64(length-1), 17)
	if window > 1<<enough {
		frame[5] = byte(enough-10) << 3
	}
	return min(uint64(1)<<enough, maxWindow), nil
}
