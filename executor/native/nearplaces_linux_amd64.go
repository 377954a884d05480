package native

import (
	"math"
	"math/rand/v2"
)

const (
	// predictedBytes is the distance at which a processor takes one branch for another: its predictor compares that many
	// low addresses. With the loop 16 MiB from the function, exp of the C library took 12.5 ns instead of 2.0.
	predictedBytes = 1 << 24
	// apartBytes is how far code stays from such a distance, on either side. Branches of the function, of what it calls
	// in the same library, and of the loop lie that near each other.
	apartBytes = 1 << 20
	nearBlocks = 64   // the greatest distance in predictedBytes; the displacement of a call reaches twice as far
	nearTries  = 64   // places of which one should be free
	codePage   = 4096 // the loop moves within its page and from page to page
)

// nearPlaces returns pages near the function at entry at which the code of a loop may lie, the best one first. They are
// 16 MiB to 1 GiB away, in either direction. They follow from place, so that launches differ and can be repeated. The
// processor can distinguish the distance of each page, to the function and to each of others, from 0.
func nearPlaces(entry uintptr, place uint64, others ...uintptr) (pages []uintptr) {
	draw := rand.New(rand.NewPCG(place, uint64(len(others)))) // a loop that must not resemble another lies elsewhere
	base := entry &^ (codePage - 1)
	for range nearTries {
		distance := uintptr(1+draw.IntN(nearBlocks-1))*predictedBytes +
			uintptr(draw.IntN(predictedBytes/codePage))*codePage
		at, fits := base+distance, base+distance > base
		if draw.IntN(2) == 0 {
			at, fits = base-distance, distance < base
		}
		if fits && !resembles(at, append(others, entry)) {
			pages = append(pages, at)
		}
	}
	return pages
}

// resembles reports whether a processor may take branches near an address for branches near one of others.
func resembles(address uintptr, others []uintptr) bool {
	for _, other := range others {
		distance := (address - other) % predictedBytes
		if min(distance, predictedBytes-distance) < apartBytes {
			return true
		}
	}
	return false
}

// lineOf returns at which cache line of its page the code of a loop begins.
func lineOf(place uint64) uintptr {
	return uintptr(rand.New(rand.NewPCG(place, math.MaxUint64)).IntN(codePage / lineBytes))
}
