//go:build !linux || !(amd64 || arm64)

package native

// SignalEntry returns 0: this system has no such function.
func SignalEntry() uintptr { return 0 }

// Wait returns 0: nothing hands over a Signal on this system.
func (s *Signal) Wait() uintptr { return 0 }
