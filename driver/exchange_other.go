//go:build !linux

package driver

// newExchange returns nil: this system has no memory to exchange.
func newExchange(int64) *Exchange { return nil }

func hugePagesAlways() bool { return false }
