package platform

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newTestSteps returns the steps of both sides.
func newTestSteps(t *testing.T) (sides [2]*Steps) {
	t.Helper()
	x := &Exchange{steps: newTestPage(t, int64(unix.Getpagesize()))}
	for k := range sides {
		var err error
		if sides[k], err = x.NewSteps(); err != nil {
			t.Fatal(err)
		}
	}
	return sides
}

// newTestPage returns a file in memory.
func newTestPage(t *testing.T, bytes int64) int {
	t.Helper()
	fd, err := unix.MemfdCreate("steps", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.Ftruncate(fd, bytes); err != nil {
		t.Fatal(err)
	}
	return fd
}

// Steps alternate until both sides have had enough; who is first begins.
func TestSteps(t *testing.T) {
	sides := newTestSteps(t)
	for turn := 1; turn <= 4; turn++ {
		first := turn % 2
		var order []int
		var mu sync.Mutex // the race detector does not see what the sides tell each other
		var both sync.WaitGroup
		for k, s := range sides {
			both.Go(func() {
				s.Begin(turn, k, first)
				defer s.End()
				for n := 0; ; n++ {
					mu.Lock()
					order = append(order, k)
					mu.Unlock()
					if n >= 5*(k+1) && s.Enough() { // one side wants more than the other
						return
					}
					s.Next()
				}
			})
		}
		both.Wait()
		if len(order) < 2*11 {
			t.Fatalf("turn %d: %v", turn, order)
		}
		for i, k := range order {
			if k != (first+i)%2 {
				t.Fatalf("turn %d: %v", turn, order)
			}
		}
	}
}

// A side that is warm goes on until the other one is, too.
func TestStepsWarm(t *testing.T) {
	sides := newTestSteps(t)
	for turn := 1; turn <= 3; turn++ {
		var made [2]int
		var both sync.WaitGroup
		for k, s := range sides {
			both.Go(func() {
				s.Begin(turn, k, turn%2)
				for made[k] = 1; made[k] < 4*(k+1) || !s.Warm(); made[k]++ { // one side needs more than the other
					s.Next()
				}
				s.Next()
				s.End()
			})
		}
		both.Wait()
		if made[1] < 8 || made[0] < made[1]-1 || made[0] > made[1]+1 {
			t.Errorf("turn %d: %d and %d steps", turn, made[0], made[1])
		}
	}
}

// A side whose neighbour has left goes on without it, and one that has waited too long, too.
func TestStepsAlone(t *testing.T) {
	sides := newTestSteps(t)
	begun := make(chan struct{})
	go func() {
		sides[1].Begin(1, 1, 1)
		sides[1].End()
		close(begun)
	}()
	sides[0].Begin(1, 0, 1)
	sides[0].Next()
	<-begun
	if !sides[0].Enough() || sides[0].alone {
		t.Error("the other side has left, and is waited for")
	}
	sides[0].End()

	var both sync.WaitGroup
	both.Go(func() { sides[1].Begin(2, 1, 0) })
	sides[0].Begin(2, 0, 0)
	start := time.Now()
	sides[0].await(30*time.Millisecond, func() bool { return false })
	if took := time.Since(start); took < 30*time.Millisecond || !sides[0].alone {
		t.Errorf("it waited for %v", took)
	}
	start = time.Now()
	if sides[0].Next(); time.Since(start) > longestStep/2 {
		t.Error("alone, it waits for its step")
	}
	if !sides[0].Enough() {
		t.Error("alone, it needs more steps")
	}
	both.Wait()
	sides[0].End()
	sides[1].End()
}

func TestStepsNeedAPage(t *testing.T) {
	x := &Exchange{steps: -1}
	if _, err := x.NewSteps(); err == nil {
		t.Error("there are steps without memory")
	}
	x.steps = newTestPage(t, 0)
	if _, err := x.NewSteps(); err == nil {
		t.Error("there are steps in an empty file")
	}
}
