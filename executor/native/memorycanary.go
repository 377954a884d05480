package native

import (
	"math/rand/v2"
	"runtime"

	"zonemark/executor/platform"
)

// A MemoryCanary is the canary for functions whose data does not fit into the caches that belong to the core: loads from places in a buffer, in an order that no
// prefetcher follows, which come from the cache that cores share, or from memory. They take longer when others use those.
type MemoryCanary struct {
	ticksPerNS float64
	buffer     []byte
	free       func() error
	lines      []int32 // of the buffer, in random order
	next       int
}

const (
	memoryBuffer = 8 << 20 // several times what a core has of its own, a fraction of what cores share
	memoryLoads  = 48      // of a probe: more than a core has under way at a time; about a microsecond
)

// NewMemoryCanary is a memory canary for a clock, or nil where the clock is too coarse or memory is short. Close frees its buffer.
func NewMemoryCanary(clock Clock) *MemoryCanary {
	if !clock.counts() {
		return nil
	}
	buffer, free, err := platform.AllocLayout(memoryBuffer, platform.Layout{HugePages: true})
	if err != nil {
		return nil
	}
	c := &MemoryCanary{ticksPerNS: clock.TicksPerNS, buffer: buffer, free: free, lines: make([]int32, memoryBuffer/cacheLine)}
	for i, line := range rand.New(rand.NewPCG(1, 2)).Perm(len(c.lines)) {
		c.lines[i] = int32(line)
	}
	return c
}

// cacheLine is the size of a line of a cache in bytes; processors with larger ones load more than they are asked for.
const cacheLine = 64

// Probe is the time of one probe in nanoseconds.
func (c *MemoryCanary) Probe() float64 {
	var sum byte
	if c.next+memoryLoads > len(c.lines) {
		c.next = 0
	}
	lines := c.lines[c.next:][:memoryLoads]
	c.next += memoryLoads
	start := counter()
	for _, line := range lines {
		sum += c.buffer[int(line)*cacheLine]
	}
	ticks := counter() - start
	runtime.KeepAlive(sum)
	return float64(ticks) / c.ticksPerNS
}

// Close frees the buffer; the canary must not be used afterwards.
func (c *MemoryCanary) Close() error { return c.free() }
