package platform

import (
	"runtime"
	"sync"
)

// ReserveThreads has Go's runtime keep at least n threads besides those that are busy. It ends the program when it
// needs one more and the system refuses that, as where native code has started as many as a control group allows.
func ReserveThreads(n int) {
	var started, ended sync.WaitGroup
	release := make(chan struct{})
	for range n {
		started.Add(1)
		ended.Go(func() {
			runtime.LockOSThread() // one thread for each
			defer runtime.UnlockOSThread()
			started.Done()
			<-release
		})
	}
	started.Wait()
	close(release)
	ended.Wait()
}
