package peaks

import (
	"errors"
	"fmt"
	"runtime"

	"zonemark/executor/platform"
)

// ErrNone reports that there are no kernels for this processor.
var ErrNone = errors.New("there are no kernels for " + runtime.GOOS + "/" + runtime.GOARCH +
	"; peaks are measured on amd64 and arm64 under Linux and macOS")

// kernel is a routine in assembly: it computes or, if perRound is 0, it moves bytes.
type kernel struct {
	entry    uintptr
	what     string  // the type of numbers, or Read or Copy
	width    string  // instructions, such as AVX2
	perRound float64 // operations
}

// The ways of moving bytes.
const (
	Read = "read"
	Copy = "copy" // from one half of the memory to the other, with ordinary stores
)

// Case is something that the processor can do at a highest rate.
type Case struct {
	What  string // the type of numbers that are computed with, or Read or Copy
	Using string // the instructions that compute, such as avx2; empty if bytes are moved
	Level string // where the moved bytes are: L1, L2, L3, memory; empty if numbers are computed
	CPUs  int    // number of CPUs at work; 1: the thread of the measurement alone

	kernel kernel
	bytes  int64 // of memory for each CPU
}

// Moves reports whether the case moves bytes.
func (c Case) Moves() bool { return c.Level != "" }

// Name returns the name of the case as a function: float32.avx2, read.L1, copy.memory.all.
func (c Case) Name() string {
	name := c.What + "." + c.Using + c.Level
	if c.CPUs > 1 {
		name += allSuffix
	}
	return name
}

// allSuffix is the end of the names of cases on all CPUs.
const allSuffix = ".all"

// Cases returns what this processor can do, with one CPU and, if there are more, with all that the process may use. It
// is empty if there are no kernels for the processor.
func Cases() (all []Case) {
	cpus := platform.AllowedCPUs()
	caches := platform.DataCaches()
	counts := []int{1}
	if len(cpus) > 1 {
		counts = append(counts, len(cpus))
	}
	for _, n := range counts {
		for _, k := range computing() {
			all = append(all, Case{What: k.what, Using: k.width, CPUs: n, kernel: k})
		}
		for _, l := range levelsOf(caches, n) {
			for _, k := range moving() {
				all = append(all, Case{What: k.what, Level: l.name, CPUs: n, kernel: k, bytes: l.bytes})
			}
		}
	}
	return all
}

// level is a level of the caches, or memory, with the bytes that each CPU uses of it.
type level struct {
	name  string
	bytes int64
}

const (
	leastMemory = 64 << 20 // bytes for each CPU that are in memory, whatever the caches
	mostMemory  = 1 << 30  // for all CPUs
	unknownLLC  = 32 << 20 // what is assumed of a last-level cache of unknown size
)

// levelsOf returns how many bytes each of n CPUs uses of each level: half of its share of a cache, and four times the
// last-level cache for memory. A cache is left out if half a share of it would fit into the level before.
func levelsOf(caches []platform.Cache, n int) (levels []level) {
	before, last := int64(0), int64(unknownLLC)
	for _, c := range caches {
		bytes := c.Bytes / 2 / int64(max(1, min(n, c.CPUs)))
		if bytes -= bytes % blockBytes; bytes > before {
			levels = append(levels, level{fmt.Sprintf("L%d", c.Level), bytes})
		}
		before, last = c.Bytes, c.Bytes
	}
	bytes := min(max(4*last/int64(n), leastMemory), max(mostMemory/int64(n), blockBytes))
	if bytes*int64(n) < 2*last {
		return levels
	}
	return append(levels, level{"memory", bytes - bytes%blockBytes})
}

// blockBytes divides the number of bytes that a kernel moves, for reading all and for copying a half to the other.
const blockBytes = 2 * moveStep

// moveStep is a multiple of the bytes that the kernels move in one step of their loops.
const moveStep = 512

// CaseOf returns the case of a function's name; false if this processor has none of that name.
func CaseOf(name string) (Case, bool) {
	for _, c := range Cases() {
		if c.Name() == name {
			return c, true
		}
	}
	return Case{}, false
}
