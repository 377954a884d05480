package driver

import (
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zonemark/invocations"
)

// Exchange is memory that two executors have by turns, in two parts. Each is lent one of them at a time for arguments,
// and they change parts within a launch; see loan. Which physical pages an array has decides how its lines share caches
// and banks of memory, and the same pages return in launch after launch: one side had up to 7 % more time than its
// twin. When the arrays change sides, the difference does too. Both executors have a page for steps beside it.
//
// If another host measures, the memory is there: the driver knows its number and its size.
type Exchange struct {
	number   int64 // which tells it from others of this process
	bytes    int64 // of each part
	launches int   // that have begun with it
	turns    int   // in steps, that have begun with it; see wire.Steps
	parts    []*os.File
	steps    *os.File

	mu       sync.Mutex
	holders  [2]*loan // of the parts
	loans    int      // that have not ended
	closed   bool     // nobody else is lent anything
	patience time.Duration
}

var exchanges atomic.Int64 // that were made

// newExchange returns memory that executors on this machine can be lent; nil if there can be none.
func newExchange(bytes int64) *Exchange {
	files := exchangeParts(bytes)
	if files == nil {
		return nil
	}
	return &Exchange{number: exchanges.Add(1), bytes: bytes, parts: files[:2], steps: files[2],
		patience: lendingPatience}
}

// LentElsewhere returns the memory that a driver on another machine lends executors here, by what Named has told; nil if
// there can be none. It is to be closed when no more executors are started with it.
func LentElsewhere(number, bytes int64) *Exchange {
	if number <= 0 || bytes <= 0 || bytes > exchangeMost+2*hugePage {
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

const (
	// exchangeLeast is the size of arguments from which on their physical pages matter: smaller ones fit into the first
	// cache, whose sets do not depend on them.
	exchangeLeast    = 32 << 10
	exchangeLaunches = 8       // that have the same exchange
	exchangeMost     = 1 << 30 // more would take long to fill in each launch
	hugePage         = 2 << 20
	// lendingPatience is how long an executor waits for a part that the other one has, and how long it may take until a
	// part that was given back is open nowhere: a process that is being started has it open for a moment.
	lendingPatience = 5 * time.Second
)

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

// lend returns the memory that the executors of both sides of a pair exchange, and whether their arguments are in it:
// they may not profit from it. If there are no steps either, it returns nil. Some launches have the same memory, and then
// there is other one, so that a result holds for more pages than those of one exchange: new pages cost time, which further
// launches need more than each its own. What was lent before is closed then: it is not lent any more.
func (r *run) lend(p *paired) (x *Exchange, moves bool) {
	bytes := r.exchangeBytes(p)
	switch {
	case bytes == 0 && !r.stepwise(p):
		return nil, false
	case r.exchange == nil || r.exchange.bytes < bytes:
		r.exchange.Close()
		r.exchange = r.newExchange(max(bytes, int64(os.Getpagesize())))
	case r.exchange.launches == exchangeLaunches:
		r.exchange.Close()
		r.exchange = r.newExchange(r.exchange.bytes)
	}
	if r.exchange == nil {
		return nil, false
	}
	r.exchange.launches++
	return r.exchange, bytes > 0
}

// newExchange returns memory of the machine that measures.
func (r *run) newExchange(bytes int64) *Exchange {
	if r.host != nil {
		return &Exchange{number: exchanges.Add(1), bytes: bytes}
	}
	return newExchange(bytes)
}

// exchangeBytes returns how much memory the arguments of each side need, with some for how they are placed; 0 if their
// physical pages hardly matter, or if exchanged memory would have smaller pages than their own.
func (r *run) exchangeBytes(p *paired) int64 {
	var most, room int64
	for _, side := range p.sides {
		first := &side.results[0]
		most = max(most, first.SetBytes)
		room = max(room, int64(first.Sets)*int64(len(first.Places))*invocations.PlacementPage) // between the arrays
	}
	huge := r.plan.At(p.sides[0].index).Invocation.Measure.HugePages || r.hugePagesAlways()
	if most < exchangeLeast || most > exchangeMost || room > hugePage || huge && most >= hugePage/2 {
		return 0
	}
	return most + room + 2*int64(os.Getpagesize())
}

// hugePagesAlways reports whether the machine that measures gives huge pages to memory that nobody asked them for. It does
// not do so for memory that is exchanged.
func (r *run) hugePagesAlways() bool {
	if r.host != nil {
		return strings.Contains(r.host.Environment["transparent_hugepages"], hugePagesOn)
	}
	return hugePagesAlways()
}

const hugePagesOn = "[always]"
