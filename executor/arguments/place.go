package arguments

import (
	"fmt"
	"math/rand/v2"

	"zonemark/executor/platform"
	"zonemark/invocations"
)

// pageBytes bounds offsets within a page: it is the smallest page size in use.
const pageBytes = invocations.PlacementPage

// Placement is where a launch places memory, and the arrays within it.
type Placement struct {
	platform.Layout
	place   uint64 // see invocations.Measure.Place
	offLine int64  // behind a line, in bytes: where arrays begin that need not begin at one
}

// Layout returns where a launch places the memory with this number, if arguments have several memories. From launch to
// launch, they move relative to each other and keep their alignment.
func Layout(m invocations.Measure, number int) Placement {
	offset := m.PageOffset
	if number > 0 && m.Place != 0 {
		offset = pageOffset(m.Place, number, invocations.LayoutStep)
	}
	p := Placement{Layout: platform.Layout{PageOffset: int(offset), HugePages: m.HugePages}, place: m.Place}
	if m.Placement == invocations.Malloc {
		p.offLine = invocations.MallocOffset
	}
	return p
}

// pageOffset draws where in its page something begins that has this number and alignment. What has the same number has
// the same offset in each executor of a launch, whatever its size: sides of a comparison, and cases of a sweep, are
// alike in this.
func pageOffset(place uint64, number int, align int64) int64 {
	return rand.New(rand.NewPCG(place, uint64(number))).Int64N(max(1, pageBytes/align)) * align
}

// Alloc returns memory of its own, outside the Go heap, for the buffer with this number, where the launch places it.
// Returns a *MemoryError if there is not so much.
func Alloc(m invocations.Measure, number int, bytes int64) (memory []byte, free func() error, err error) {
	what := fmt.Sprintf("buffer %d", number)
	if err := CheckRoom(what, bytes); err != nil {
		return nil, nil, err
	}
	if memory, free, err = platform.AllocLayout(int(bytes), Layout(m, number).Layout); err != nil {
		return nil, nil, &MemoryError{Err: fmt.Errorf("%s: %w", what, err)}
	}
	return memory, free, nil
}
