package seccomp

import (
	"os"
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
