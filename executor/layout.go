package executor

import (
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// pageBytes bounds offsets within a page: it is the smallest page size in use.
const pageBytes = 4096

// Layout returns where a launch places the memory that a runtime allocates for the argument with this number, if each
// argument has memory of its own. From launch to launch, buffers move relative to each other and keep their alignment.
func Layout(m invocations.Measure, buffer int) platform.Layout {
	offset := m.PageOffset * int64(buffer+1) % pageBytes
	return platform.Layout{PageOffset: int(offset), HugePages: m.HugePages}
}
