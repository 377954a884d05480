package platform

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOriginOf looks at threads of Go that wait: for another goroutine, and in the kernel. Native threads are left by
// functions that package hostile checks.
func TestOriginOf(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for name, wait := range map[string]func(){
		"channel": func() { <-make(chan int) },
		"kernel":  func() { _, _ = unix.Read(int(read.Fd()), make([]byte, 1)) }, // until the end of the test
	} {
		number := make(chan int)
		go func() {
			runtime.LockOSThread()
			number <- unix.Gettid()
			wait()
		}()
		thread := <-number
		if !ThreadNumbers()[thread] {
			t.Errorf("%s: thread %d is not there", name, thread)
		}
		origin := OriginOf(thread)
		for begin := time.Now(); origin != ThreadOfGo && time.Since(begin) < time.Minute; origin = OriginOf(thread) {
		}
		if origin != ThreadOfGo {
			t.Errorf("%s: origin %d", name, origin)
		}
	}
	if origin := OriginOf(1 << 30); origin != ThreadGone {
		t.Errorf("a thread that is not there: %d", origin)
	}
	write.Close()
}
