package executors

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Exchange is memory that two executors have by turns, in two parts. Each is lent one of them at a time for arguments,
// and they change parts within a launch; see loan. Which physical pages an array has decides how its lines share caches
// and banks of memory, and the same pages return in launch after launch: one side had up to 7 % more time than its
// twin. When the arrays change sides, the difference does too. Both executors have a page for steps beside it.
//
// If another host measures, the memory is there: the driver knows its number and its size.
type Exchange struct {
	Launches int // that have begun with it, as whoever lends it counts
	Turns    int // in steps, that have begun with it; see wire.Steps

	number int64 // which tells it from others of this process
	bytes  int64 // of each part
	parts  []*os.File
	steps  *os.File

	mu       sync.Mutex
	holders  [2]*loan // of the parts
	loans    int      // that have not ended
	closed   bool     // nobody else is lent anything
	patience time.Duration
}

var exchanges atomic.Int64 // that were made

// NewExchange returns memory that executors on this machine can be lent; nil if there can be none.
func NewExchange(bytes int64) *Exchange {
	files := exchangeParts(bytes)
	if files == nil {
		return nil
	}
	return &Exchange{number: exchanges.Add(1), bytes: bytes, parts: files[:2], steps: files[2],
		patience: lendingPatience}
}

// NamedExchange returns memory that executors on another machine can be lent, where it is made by its name.
func NamedExchange(bytes int64) *Exchange { return &Exchange{number: exchanges.Add(1), bytes: bytes} }

// LentElsewhere returns the memory that a driver on another machine lends executors here, by what Named has told; nil if
// there can be none. It is to be closed when no more executors are started with it.
func LentElsewhere(number, bytes int64) *Exchange {
	if number <= 0 || bytes <= 0 || bytes > MostExchanged+2*HugePage {
		return nil
	}
	files := exchangeParts(bytes)
	if files == nil {
		return nil
	}
	return &Exchange{number: number, bytes: bytes, parts: files[:2], steps: files[2],
		patience: lendingPatience}
}

// Named returns what another host needs to make the same memory there. A nil exchange has the number 0.
func (x *Exchange) Named() (number, bytes int64) {
	if x == nil {
		return 0, 0
	}
	return x.number, x.bytes
}

// Bytes returns the size of each part.
func (x *Exchange) Bytes() int64 { return x.bytes }

// MostExchanged bounds the bytes of each side's arguments: more would take long to fill in each launch.
const MostExchanged = 1 << 30

// HugePage is the size of a huge page, in bytes.
const HugePage = 2 << 20

// lendingPatience is how long an executor waits for a part that the other one has, and how long it may take until a
// part that was given back is open nowhere: a process that is being started has it open for a moment.
const lendingPatience = 5 * time.Second

// Parts returns in how many parts this machine can lend the memory: none if it is on another one, or was given back.
func (x *Exchange) Parts() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed && x.loans == 0 {
		return 0
	}
	return len(x.parts)
}

// Close gives the memory back as soon as no executor is lent any of it.
func (x *Exchange) Close() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed = true; x.loans == 0 {
		x.closeFiles()
	}
}

func (x *Exchange) closeFiles() { closeAll(slices.Concat(x.parts, []*os.File{x.steps})...) }

// closeAll closes files that hold nothing that could be lost.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
