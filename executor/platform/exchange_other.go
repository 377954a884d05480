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
