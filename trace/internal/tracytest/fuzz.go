package tracytest

import (
	"runtime"
	"testing"
)

// Versions are those at which the layout changed.
func Versions() []uint32 {
	return []uint32{VersionOf(0, 9, 0), VersionOf(0, 9, 2), VersionOf(0, 11, 1), VersionOf(0, 11, 2),
		VersionOf(0, 12, 3), VersionOf(0, 12, 4),
		VersionOf(0, 13, 2), VersionOf(0, 13, 4), VersionOf(0, 13, 5), Newest}
}

// AddStreams gives a fuzz target a stream of each version to begin with.
func AddStreams(f *testing.F) {
	for _, v := range Versions() {
		f.Add(Small(v))
	}
}

// Uncompressed packs a stream into a container whose blocks are not compressed, so that a fuzzer sees what it changes.
func Uncompressed(stream []byte) []byte {
	data := []byte{'t', 'r', 0xFD, 'P', 0, 2}
	for len(stream) > 0 {
		n := min(len(stream), BlockSize)
		data = AppendBlock(data, Literals(stream[:n]))
		stream = stream[n:]
	}
	return data
}

// CheckMemory runs read and fails if it allocated far more than a file of this size justifies.
// Buffers and decoders of every stream are allowed for.
func CheckMemory(t *testing.T, size int, passes int64, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	const fixed, perByte = 64 << 20, 256 // what the reader may keep
	if taken := int64(after.TotalAlloc - before.TotalAlloc); taken > passes*(2*(fixed+perByte*int64(size))+(16<<20)) {
		t.Errorf("%d bytes of input took %d bytes of memory", size, taken)
	}
}
