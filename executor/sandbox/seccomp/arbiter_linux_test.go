package seccomp

import (
	"os"
	"runtime/pprof"
	"testing"

	"golang.org/x/sys/unix"
)

// What runs off the first thread never has its number, wherever the goroutine that starts it begins.
func TestOffFirstThread(t *testing.T) {
	for range 2000 {
		threads := make(chan int)
		offFirstThread(func() { threads <- unix.Gettid() })
		if id := <-threads; id == os.Getpid() {
			t.Fatal("it runs on the first thread")
		}
	}
}

// Go's scheduler has as many threads as it was asked for, beside that of this test.
func TestReadyThreads(t *testing.T) {
	made := pprof.Lookup("threadcreate")
	ready := made.Count() + 3 // more than there are, whatever other tests have left
	readyThreads(ready)
	if n := made.Count(); n <= ready {
		t.Errorf("%d threads, of which %d should be ready", n, ready)
	}
}
