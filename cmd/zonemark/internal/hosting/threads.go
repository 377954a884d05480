package hosting

import "zonemark/executor/platform"

// threads are those of this process, as driver.Threads.
type threads struct{}

func (threads) Foreground()   { platform.Foreground() }
func (threads) LoosenTimers() { platform.LoosenTimers() }
