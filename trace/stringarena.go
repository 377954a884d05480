package trace

import "strings"

// A stringArena makes many small strings that share few allocations.
type stringArena struct {
	chunk strings.Builder
}

const arenaChunk = 64 << 10

// add makes a string of at most arenaChunk/8 bytes.
func (a *stringArena) add(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if a.chunk.Cap()-a.chunk.Len() < len(b) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(arenaChunk)
	}
	start := a.chunk.Len()
	a.chunk.Write(b)
	return a.chunk.String()[start:]
}

// read reads n bytes of the stream as a string.
func (a *stringArena) read(c *cursor, n int64) string {
	if n == 0 {
		return ""
	}
	if n > arenaChunk/8 {
		return string(c.appendBytes(nil, n))
	}
	if a.chunk.Cap()-a.chunk.Len() < int(n) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(arenaChunk)
	}
	start := a.chunk.Len()
	for left := int(n); left > 0 && c.need(1); {
		k := min(left, len(c.buffer)-c.pos)
		a.chunk.Write(c.buffer[c.pos : c.pos+k])
		c.pos, left = c.pos+k, left-k
	}
	return a.chunk.String()[start:]
}
