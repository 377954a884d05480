package arguments

import "zonemark/invocations"

const (
	// nearBytes and coreBytes are what fits well into the first cache of nearly every processor, and into those that
	// belong to one core. Restoring leaves the arguments in the caches. If all sets of a batch fit where one set fits,
	// calls find their arguments as near as a call does whose caller has just written them.
	nearBytes, coreBytes = 32 << 10, 512 << 10
	// mostCopies bounds the memory of sets, in bytes, if the user chooses the number of calls in a batch.
	mostCopies = 64 << 20
	frameBytes = 64 // of a set in the timed loop
)

// RingSets returns of how many sets a ring consists, the one of the untimed call included, if so many bytes of each are
// written before a batch. fixed is the number of calls in a batch if it is prescribed, else 0.
func RingSets(written, fixed int64, mode invocations.Mode) int {
	each := written + frameBytes
	most := max(1, mostCopies/each)
	switch {
	case mode == invocations.Flush:
		return 1 // its lines are evicted before each call, so that an untimed call would be of no use
	case fixed > 0:
		return int(min(fixed+1, most))
	case each <= nearBytes:
		return int(max(2, nearBytes/each))
	case each <= coreBytes:
		return int(max(2, coreBytes/each))
	}
	return int(min(2, most))
}
