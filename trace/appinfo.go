package trace

import "iter"

// AppInfo iterates over what the program said about itself, in its order. An error ends the iteration. The first call
// passes over all zones to find it.
func (f *File) AppInfo() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		c := f.afterZones()
		defer c.close()
		f.gpu(c, nil)
		f.plots(c, nil)
		skipMemory(c)
		skipCallStacks(c)
		if c.err == nil {
			c.section = "application info"
		}
		for n := c.count(9); n > 0 && c.err == nil; n-- {
			text, err := f.string(c.stringReference())
			if err != nil {
				c.fail(err)
			}
			if c.err == nil && !yield(text, nil) {
				return
			}
		}
		if c.err != nil {
			yield("", c.err)
		}
	}
}

// skipMemory passes over the memory pools and their events.
func skipMemory(c *cursor) {
	if c.err == nil {
		c.section = "memory"
	}
	pools := c.count(8 + 3*8 + 4*8)
	c.skip(8) // events in all pools
	for ; pools > 0 && c.err == nil; pools-- {
		c.skip(8) // name
		const event = 8 + 8 + 3 + 3 + 8 + 8 + 2 + 2
		n := c.count(event)
		c.skip(8 + 8) // live allocations, frees
		c.skip(n * event)
		c.skip(4 * 8) // high, low, usage, name
	}
}

// skipCallStacks passes over the call stacks and their frames.
func skipCallStacks(c *cursor) {
	if c.err == nil {
		c.section = "call stacks"
	}
	for n := c.count(2); n > 0 && c.err == nil; n-- {
		c.skip(8 * int64(c.u16()))
	}
	for n := c.count(8 + 1 + 3); n > 0 && c.err == nil; n-- {
		c.skip(8) // id
		frames := int64(c.u8())
		c.skip(3)                        // image
		c.skip(frames * (3 + 3 + 4 + 8)) // name, file, line, address of the symbol
	}
}
