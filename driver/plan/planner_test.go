package plan

import (
	"testing"
	"time"
)

// What is said of a long build is said when the build's end is told, and not beside it.
func TestAfter(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	said := false
	stop := after(0, func() {
		close(begun)
		<-release
		said = true // the race detector sees it if stop does not wait
	})
	<-begun
	time.AfterFunc(10*time.Millisecond, func() { close(release) })
	if stop(); !said {
		t.Error("the function runs when it is stopped")
	}
	stop = after(time.Hour, func() { t.Error("a function runs that was stopped") })
	stop()
}
