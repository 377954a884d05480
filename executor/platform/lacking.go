//go:build !linux

package platform

import (
	"errors"
	"runtime"
)

// AllowedCPUs returns the numbers of the CPUs that the process may use. It returns at least one.
func AllowedCPUs() []int { return firstCPUs(runtime.NumCPU()) }

// systemEnvironment returns nil: only Linux has more values.
func systemEnvironment() map[string]string { return nil }

// Exchange is memory that two processes have in turns. There is none on this system.
type Exchange struct{}

var errExchange = errors.New("this system has no memory to exchange")

// TakeExchange returns an error: there is no exchange on this system.
func TakeExchange(int, int) (*Exchange, error) { return nil, errExchange }

func (s Shared) alloc(int) ([]byte, func() error, error) { return nil, nil, errExchange }

// Replace returns an error: there is no exchange on this system.
func (s Shared) Replace([]byte) error { return errExchange }

// Steps has two processes make their batches by turns. There are none on this system.
type Steps struct{}

// NewSteps returns an error: there is no exchange on this system.
func (*Exchange) NewSteps() (*Steps, error) { return nil, errExchange }

// Begin does nothing.
func (*Steps) Begin(int, int, int) {}

// Next does nothing.
func (*Steps) Next() {}

// Warm reports true.
func (*Steps) Warm() bool { return true }

// Enough reports true.
func (*Steps) Enough() bool { return true }

// Over reports true.
func (*Steps) Over() bool { return true }

// End does nothing.
func (*Steps) End() {}

// State is what native code can change in its process. It is not read on this system.
type State struct{}

// ReadState returns an empty state.
func ReadState() State { return State{} }

// Changes returns nothing.
func (State) Changes(State, map[int]int64) []string { return nil }

// KeepActions calls f. Actions of signals are not looked at here.
func KeepActions(f func()) { f() }

// Threads returns nil: they are not read on this system.
func Threads(map[int]int64) map[int]int64 { return nil }

// ThreadNumbers returns nil: they are not read on this system.
func ThreadNumbers() map[int]bool { return nil }

// ThreadOrigin says who has made a thread.
type ThreadOrigin int

// The origins of threads.
const (
	ThreadGone ThreadOrigin = iota
	ThreadOfGo
	ThreadOfNative
)

// OriginOf tells nothing on this system.
func OriginOf(int) ThreadOrigin { return ThreadGone }

// HoldPreemption does nothing: signals are not held on this system.
func HoldPreemption() (restore func()) { return func() {} }

// LoosenTimers does nothing.
func LoosenTimers() {}

// Foreground does nothing.
func Foreground() {}
