package arguments

import (
	"fmt"

	"zonemark/executor/platform"
	"zonemark/invocations"
)

// pageBytes bounds offsets within a page: it is the smallest page size in use.
const pageBytes = 4096

// Layout returns where a launch places the memory with this number, if arguments have several memories. From launch to
// launch, they move relative to each other and keep their alignment.
func Layout(m invocations.Measure, number int) platform.Layout {
	offset := m.PageOffset * int64(number+1) % pageBytes
	return platform.Layout{PageOffset: int(offset), HugePages: m.HugePages}
}

// Alloc returns memory of its own, outside the Go heap, for the buffer with this number, where the launch places it.
// Returns a *MemoryError if there is not so much.
func Alloc(m invocations.Measure, number int, bytes int64) (memory []byte, free func() error, err error) {
	what := fmt.Sprintf("buffer %d", number)
	if err := CheckRoom(what, bytes); err != nil {
		return nil, nil, err
	}
	if memory, free, err = platform.AllocLayout(int(bytes), Layout(m, number)); err != nil {
		return nil, nil, &MemoryError{Err: fmt.Errorf("%s: %w", what, err)}
	}
	return memory, free, nil
}
