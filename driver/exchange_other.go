//go:build !linux

package driver

import "os"

// exchangeParts returns nil: this system has no memory to exchange.
func exchangeParts(int64) []*os.File { return nil }

func hugePagesAlways() bool { return false }
