package native

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"zonemark/executor/platform"
)

// Loop calls one C function with a ring of argument frames and takes the time of batches of calls. One goroutine at a
// time uses it, which should be locked to its thread.
type Loop struct {
	control control // what the engine reads; see engine_*.go
	clock   Clock
	counter bool      // the engine reads the processor's counter itself
	epoch   time.Time // origin of the monotonic clock

	shape   Frame    // any one of the frames
	memory  []byte   // off the Go heap; nil once closed
	ring    []byte   // the packed frames, at the end of memory
	lines   []Range  // evicted before each batch
	results []uint64 // ticks, reused by the next Run
	code    code     // where the loop's instructions are
	target  uintptr  // the function that is measured, also if this loop calls the empty one
	// stackOffset is how much further down the stack of a call begins than it would without an offset, in bytes.
	stackOffset uintptr
	place       uint64 // chooses where the code lies; see SetPlace
	readsClock  bool   // a checked call has read the processor's clock
	pages       []uintptr
	counts      []uint64 // of the pages' counters, batch after batch, reused by the next Run
}

// NewLoop prepares calls of the C function at entry. The frames, at least one, must have one shape. They are copied
// into memory off the Go heap, which Close frees. What they point to stays the caller's and must outlive the loop.
func NewLoop(clock Clock, entry uintptr, frames []Frame) (*Loop, error) {
	if entry == 0 {
		return nil, errors.New("timing loop: the function's address is zero")
	}
	if len(frames) == 0 {
		return nil, errors.New("timing loop: no argument frames")
	}
	shape := &frames[0]
	for i := range frames {
		if err := frames[i].Err(); err != nil {
			return nil, fmt.Errorf("timing loop: argument set %d: %w", i, err)
		}
		if !shape.sameShape(&frames[i]) {
			return nil, fmt.Errorf("timing loop: argument set %d has other kinds of arguments than the first one", i)
		}
	}
	if err := engineAccepts(shape); err != nil {
		return nil, fmt.Errorf("timing loop: %w", err)
	}
	l, err := newLoop(clock, entry, *shape, len(frames), codeFor(entry, 0, nil))
	if err != nil {
		return nil, err
	}
	words := shape.words()
	ring := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(l.ring))), len(frames)*words)
	for i := range frames {
		frames[i].pack(ring[i*words : (i+1)*words])
	}
	return l, nil
}

const (
	wordBytes = 8
	lineBytes = 64 // of a cache line; where lines are longer, nothing is lost
)

// newLoop makes a loop with room for n frames of the shape. Its code, which it frees, calls the function at target, or
// an empty one in its place. The ring ends at the end of its pages: arguments tend to begin where a page begins, and a
// load from a frame waits for stores to the same offset of another page.
func newLoop(clock Clock, target uintptr, shape Frame, n int, c code) (*Loop, error) {
	stride := shape.words() * wordBytes
	memory, err := platform.Alloc(n * stride)
	if err != nil {
		c.free()
		return nil, fmt.Errorf("timing loop: argument frames: %w", err)
	}
	memory = memory[:cap(memory)]
	l := &Loop{
		clock:   clock,
		counter: clock.counts(),
		epoch:   time.Now(),
		shape:   shape,
		memory:  memory,
		ring:    memory[len(memory)-n*stride:],
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(l.ring)))
	l.code, l.target = c, target
	entry := target
	if c.empty != 0 {
		entry = c.empty
	}
	l.control = control{
		entry:      entry,
		base:       base,
		end:        base + uintptr(len(l.ring)),
		current:    base,
		stride:     uintptr(stride),
		stackWords: uintptr(len(shape.stack)),
		integers:   uintptr(shape.nInts),
		vectors:    uintptr(shape.nFloats),
	}
	l.flag(flagFull, !shape.registersOnly())
	l.flag(flagSingle, n == 1 && shape.fewRegisters())
	l.flag(flagCounter, l.counter)
	l.flag(flagFlushOptimized, hasOptimizedFlush())
	return l, nil
}

func (l *Loop) flag(bit uintptr, on bool) {
	l.control.flags &^= bit
	if on {
		l.control.flags |= bit
	}
}

// SetSerialized makes every call wait until the one before has retired, so that calls do not overlap in the core. The
// portable engine, whose calls never overlap, ignores it.
func (l *Loop) SetSerialized(on bool) { l.flag(flagSerialized, on) }

// SetFlushDenormals makes the calls compute with denormal numbers as zeros, as runtimes do for the kernels that they
// call: arithmetic with denormal numbers can take a hundred times as long. The portable engine ignores it. Run restores
// the state when it returns.
func (l *Loop) SetFlushDenormals(on bool) { l.flag(flagFlushDenormals, on) }

// SetFlush makes every batch begin with the eviction of these ranges, before its first clock read. They are evicted in
// whole cache lines, and their contents are written back. nil ends that. It has no effect if CanFlush returns false.
// Only batches of one call are meaningful then.
func (l *Loop) SetFlush(lines []Range) {
	l.lines = slices.DeleteFunc(slices.Clone(lines), func(r Range) bool { return r.Len == 0 })
	l.control.lines = uintptr(unsafe.Pointer(unsafe.SliceData(l.lines)))
	l.control.lineCount = uintptr(len(l.lines))
}

// SetStackOffset makes calls begin this many bytes further down the stack. The number is rounded down to whole cache
// lines and bounded by MaxStackOffset. The offset moves what lies on the stack within its page, relative to all other
// memory. The portable engine ignores it.
func (l *Loop) SetStackOffset(bytes int64) {
	l.stackOffset = uintptr(min(max(0, bytes), MaxStackOffset)) &^ (lineBytes - 1)
}

// Ways is in how many ways calls are made: by a place, in its remainder by Ways. The driver has as many.
const Ways = 4

// SetPlace moves the loop's code to another distance from the function, and has it call in another way. Equal numbers
// choose equal distances, if the same memory is free. No distance is one at which a processor takes branches of the loop
// for branches of the function. On amd64, even numbers have calls go through a register, as a compiler makes them in a
// loop; odd ones through a pointer in memory, as calls of another library do, with other instructions before each. What
// takes several frames in turn, six integers or stack words has these instructions with all numbers. Distances and
// instructions change on Linux on amd64 only: elsewhere, the loop calls from the program's own text.
func (l *Loop) SetPlace(place uint64) {
	l.code.free()
	l.code, l.place = codeFor(l.target, place, nil), place
	l.flag(flagPointer, place%2 == 1)
}

// MaxStackOffset is the largest stack offset in bytes.
const MaxStackOffset = 1 << 14

// SetPrelude makes this many calls before each batch, and before the eviction of lines, that are not timed: what ran
// before the batch has filled caches and predictors with its own data.
func (l *Loop) SetPrelude(calls int) { l.control.prelude = uintptr(max(0, calls)) }

// MaxCounters is how many counters a loop reads around a batch.
const MaxCounters = maxPages

// SetCounters makes the loop read the counters of these perf event pages around each batch (see Counters.Pages); nil
// ends that. The pages belong to the thread that runs the loop. It reports whether the engine reads the counters. The
// portable engine does not, nor does a loop with the system's clock.
func (l *Loop) SetCounters(pages []uintptr) bool {
	l.pages = nil
	if engineCounts && l.counter && len(pages) <= MaxCounters {
		l.pages = slices.Clone(pages)
	}
	l.control.pages, l.control.pageCount = uintptr(unsafe.Pointer(unsafe.SliceData(l.pages))), uintptr(len(l.pages))
	return len(l.pages) > 0
}

// Counts returns what the counters have counted in the batches of the last Run: batch after batch, one number for each
// page of SetCounters. The slice is valid until the next Run.
func (l *Loop) Counts() []uint64 { return l.counts }

// Run makes the given number of batches of calls calls each and returns the ticks of each batch; Clock.TicksPerNS
// converts them. The frames are used in turn, beginning after the last one of the previous Run. The slice is valid
// until the next Run. Without a positive number of calls and batches, and on a closed loop, Run calls nothing and
// returns nil.
func (l *Loop) Run(calls, batches int) []uint64 {
	if calls < 1 || batches < 1 || l.memory == nil {
		return nil
	}
	l.results = slices.Grow(l.results[:0], batches)[:batches]
	l.counts = slices.Grow(l.counts[:0], batches*len(l.pages))[:batches*len(l.pages)]
	if l.counter {
		l.enter(calls, batches)
	} else {
		l.runMonotonic(calls)
	}
	runtime.KeepAlive(l)
	return l.results
}

// runMonotonic takes the time around one entry into the engine for each batch. Lines are evicted before, in an entry of
// their own.
func (l *Loop) runMonotonic(calls int) {
	clock := platform.NewMonotonic(l.epoch)
	lines, prelude := l.control.lineCount, l.control.prelude
	l.control.lineCount, l.control.prelude = 0, 0
	for i := range l.results {
		if prelude > 0 {
			l.enter(int(prelude), 1)
		}
		if lines > 0 {
			l.evict()
		}
		start := clock.NowNS()
		l.enter(calls, 1)
		l.results[i] = uint64(clock.NowNS() - start)
	}
	l.control.lineCount, l.control.prelude = lines, prelude
}

// Empty returns a loop over a copy of the same frames, with the same clock, path, flags, prelude and counters, that
// calls a function which only returns: its time is the overhead of the loop itself. If possible, its code is placed
// like the original's. The loop has memory of its own, and the caller must close it too.
func (l *Loop) Empty() (*Loop, error) {
	if l.memory == nil {
		return nil, errors.New("timing loop: it is closed")
	}
	near := codeFor(l.target, l.place, &l.code)
	e, err := newLoop(l.clock, l.target, l.shape, len(l.ring)/int(l.control.stride), near)
	if err != nil {
		return nil, fmt.Errorf("empty call: %w", err)
	}
	copy(e.ring, l.ring)
	for _, bit := range []uintptr{flagSerialized, flagFlushDenormals, flagPointer} {
		e.flag(bit, l.control.flags&bit != 0)
	}
	e.SetFlush(l.lines)
	e.SetPrelude(int(l.control.prelude))
	e.stackOffset, e.place = l.stackOffset, l.place
	e.SetCounters(l.pages)
	return e, nil
}

// Rewind has the next Run begin with the first frame.
func (l *Loop) Rewind() { l.control.current = l.control.base }

// Returned returns what the last call left in the result registers: the integer, and the bits of the floating-point
// number, of which a C float fills the lower half. The portable engine knows the integer only.
func (l *Loop) Returned() (integer, float uint64) {
	return uint64(l.control.returnedInt), uint64(l.control.returnedFloat)
}

// Close frees the frames. The loop makes no call afterwards. Closing again does nothing.
func (l *Loop) Close() error {
	if l.memory == nil {
		return nil
	}
	m := l.memory
	l.memory, l.ring = nil, nil
	l.code.free()
	if err := platform.Free(m); err != nil {
		return fmt.Errorf("timing loop: %w", err)
	}
	return nil
}
