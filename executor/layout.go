package executor

import (
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// pageBytes is what offsets within a page stay below: the smallest page in use.
const pageBytes = 4096

// Layout is where the memory of a launch lies that runtimes allocate for arguments: of the buffer with this number, where each has memory of its own. Buffers move
// against each other from launch to launch, and keep their alignment.
func Layout(m invocations.Measure, buffer int) platform.Layout {
	offset := m.PageOffset * int64(buffer+1) % pageBytes
	return platform.Layout{PageOffset: int(offset), HugePages: m.HugePages}
}
