//go:build !linux

package platform

import "errors"

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
