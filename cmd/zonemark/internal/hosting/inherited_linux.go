package hosting

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeRange has all descriptors from the given number on end when a program is executed. It needs Linux 5.11.
func closeRange(from uint) error {
	return unix.CloseRange(from, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}
