//go:build !linux

package platform

// State is what native code can change in its process. It is not read on this system.
type State struct{}

// ReadState returns an empty state.
func ReadState() State { return State{} }

// Changes returns nothing.
func (State) Changes(State, map[int]int64) []string { return nil }

// KeepActions calls f. Actions of signals are not looked at here.
func KeepActions(f func()) { f() }
