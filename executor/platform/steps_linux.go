package platform

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Steps has two processes on one CPU make their batches by turns: each waits until the other has made one. What changes
// from millisecond to millisecond, such as the clock of the core, then changes both alike. Native code can write where
// they are kept, which holds nothing else, and a process can end at any moment, so that no wait is without an end: a
// side that has waited too long goes on alone.
type Steps struct {
	words *stepWords
	role  int // 0 or 1
	turn  uint32
	alone bool
	gave  bool // way to the other side: this turn changed the policy of the thread
}

// stepWords are in the page of an exchange that both processes have.
type stepWords struct {
	changes uint32    // a futex: of the others
	next    uint32    // role whose step it is
	arrived [2]uint32 // latest turn that a role has begun
	warm    [2]uint32 // latest turn in which a role is warm
	enough  [2]uint32 // latest turn in which a role needs no more steps
	left    [2]uint32 // latest turn that a role has left
}

const (
	// longestArrival is how long the other side may take to begin: it may have to fill its arguments.
	longestArrival = 5 * time.Second
	// longestStep is how long the other side may take for warming up and a batch.
	longestStep = time.Second
)

// futexWaitShared and futexWakeShared are FUTEX_WAIT and FUTEX_WAKE of linux/futex.h.
const futexWaitShared, futexWakeShared = 0, 1

// NewSteps returns the steps of an exchange. They are mapped until the process ends.
func (x *Exchange) NewSteps() (*Steps, error) {
	page := int64(os.Getpagesize())
	var stat unix.Stat_t
	if err := unix.Fstat(x.steps, &stat); err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	if stat.Size < page {
		return nil, errors.New("steps: the memory to exchange has no page for them")
	}
	b, err := unix.Mmap(x.steps, 0, int(page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	return &Steps{words: (*stepWords)(unsafe.Pointer(unsafe.SliceData(b)))}, nil
}

// Begin begins a turn, whose numbers grow, as role 0 or 1. It waits for the other side, and for its own first step;
// that of role first comes first. Until End, the calling thread, which must be locked, does not take the CPU when the
// other side wakes it: that side would go to sleep only later, within a batch of this one.
func (s *Steps) Begin(turn, role, first int) {
	s.turn, s.role, s.alone = uint32(turn), role, false
	s.gave = setPolicy(0, unix.SCHED_NORMAL, unix.SCHED_BATCH)
	atomic.StoreUint32(&s.words.next, uint32(first)) // neither side goes on before both have written it
	s.tell(&s.words.arrived[role])
	s.await(longestArrival, func() bool { return atomic.LoadUint32(&s.words.arrived[1-role]) >= s.turn })
	s.awaitStep()
}

// Next ends a step and waits for the next one.
func (s *Steps) Next() {
	atomic.StoreUint32(&s.words.next, uint32(1-s.role))
	s.changed()
	s.awaitStep()
}

// Warm says that this side has warmed up, and reports whether the other one has too, or has left. Else both go on: what
// one side makes alone does not compare with what it makes by turns.
func (s *Steps) Warm() bool {
	s.tell(&s.words.warm[s.role])
	return s.Over() || atomic.LoadUint32(&s.words.warm[1-s.role]) >= s.turn
}

// Enough says that this side needs no more steps, and reports whether the other one needs none either.
func (s *Steps) Enough() bool {
	s.tell(&s.words.enough[s.role])
	return s.Over() || atomic.LoadUint32(&s.words.enough[1-s.role]) >= s.turn
}

// Over reports whether the other side makes no more steps.
func (s *Steps) Over() bool { return s.alone || s.left() }

// End ends the turn. The other side need not wait any more.
func (s *Steps) End() {
	if s.gave {
		setPolicy(0, unix.SCHED_BATCH, unix.SCHED_NORMAL)
	}
	s.tell(&s.words.left[s.role])
}

func (s *Steps) left() bool { return atomic.LoadUint32(&s.words.left[1-s.role]) >= s.turn }

func (s *Steps) awaitStep() {
	s.await(longestStep, func() bool { return atomic.LoadUint32(&s.words.next) == uint32(s.role) })
}

// await waits until something has happened, the other side has left, or time is over.
func (s *Steps) await(most time.Duration, happened func() bool) {
	for begun := time.Now(); !s.alone; {
		changes := atomic.LoadUint32(&s.words.changes)
		if happened() || s.left() {
			return
		}
		rest := most - time.Since(begun)
		if rest <= 0 {
			s.alone = true
			return
		}
		timeout := unix.NsecToTimespec(int64(rest))
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.words.changes)), futexWaitShared, uintptr(changes),
			uintptr(unsafe.Pointer(&timeout)), 0, 0) // whatever it returns, the loop looks again
	}
}

// tell writes the turn into a word.
func (s *Steps) tell(word *uint32) {
	atomic.StoreUint32(word, s.turn)
	s.changed()
}

func (s *Steps) changed() {
	atomic.AddUint32(&s.words.changes, 1)
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.words.changes)), futexWakeShared, 1, 0, 0, 0)
}
