package native

import (
	"math/rand/v2"
	"runtime"

	"zonemark/executor/platform"
)

// MemoryCanary is the canary for functions whose data does not fit into the core's own caches. It loads from places in
// a buffer, in an order that no prefetcher follows. The loads are served by the cache that cores share, or by memory,
// and take longer if others use those.
type MemoryCanary struct {
	ticksPerNS float64
	buffer     []byte
	free       func() error
	lines      []int32 // of the buffer, in random order
	next       int
}

const (
	memoryBuffer = 8 << 20 // bytes: several times a core's own caches, a fraction of the shared one
	memoryLoads  = 48      // of a probe: more than a core makes at the same time; they take about a microsecond
)

// NewMemoryCanary returns a memory canary for a clock, or nil if the clock is too coarse or memory is short. Close
// frees its buffer.
func NewMemoryCanary(clock Clock) *MemoryCanary {
	if !clock.counts() {
		return nil
	}
	buffer, free, err := platform.AllocLayout(memoryBuffer, platform.Layout{HugePages: true})
	if err != nil {
		return nil
	}
	c := &MemoryCanary{
		ticksPerNS: clock.TicksPerNS,
		buffer:     buffer,
		free:       free,
		lines:      make([]int32, memoryBuffer/cacheLine),
	}
	for i, line := range rand.New(rand.NewPCG(1, 2)).Perm(len(c.lines)) {
		c.lines[i] = int32(line)
	}
	return c
}

// cacheLine is the size of a cache line in bytes; processors with larger lines load more than is asked for.
const cacheLine = 64

// Probe returns the time of one probe in nanoseconds.
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
