package tracy

import (
	"fmt"
	"unsafe"

	"zonemark/executor/platform"
)

// chunkBytes is how much is requested from the system at a time; a larger allocation gets a chunk of its own.
const chunkBytes = 64 << 10

// permanent is memory outside the Go heap that is never freed: Tracy keeps the addresses until the process ends, and Go
// objects do not keep their addresses that long.
type permanent struct{ free []byte }

// allocate returns n zeroed bytes, aligned for any C type.
func (p *permanent) allocate(n int) ([]byte, error) {
	const alignment = 16
	size := (n + alignment - 1) &^ (alignment - 1)
	if size > len(p.free) {
		chunk, err := platform.Alloc(max(size, chunkBytes))
		if err != nil {
			return nil, fmt.Errorf("tracy client: %d bytes of permanent memory: %w", max(size, chunkBytes), err)
		}
		p.free = chunk
	}
	b := p.free[:n:n]
	p.free = p.free[size:]
	return b, nil
}

// string returns the address of a copy of s that ends with a zero byte.
func (p *permanent) string(s string) (uintptr, error) {
	s = upToZero(s)
	b, err := p.allocate(len(s) + 1)
	if err != nil {
		return 0, err
	}
	copy(b, s)
	return uintptr(unsafe.Pointer(&b[0])), nil
}
