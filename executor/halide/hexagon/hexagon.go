// Package hexagon runs Halide pipelines for Qualcomm's processor Hexagon without one: it links them with a harness of
// its own into a static program, puts the arguments of a call into the layout of that processor, has an emulator of
// user programs (qemu-hexagon) run the program, and reads what came back.
//
// What an emulator counts is not time. It counts instructions and packets, which are the groups of up to four
// instructions that the processor begins together. It knows no stalls, no caches and no clock, so packets are not
// cycles, and the time that emulating takes says nothing about a processor. The package therefore tells no times.
//
// The package starts the compiler of the harness. The emulator, which runs the code of pipelines, is started by the
// caller, since that code must be confined. The package knows nothing of generators and invocations.
package hexagon

import (
	"fmt"
	"strings"
)

// Architecture is the first part of the targets of Halide that the package is for.
const Architecture = "hexagon-32"

// These are the features of Halide's targets that say something about the vector unit, HVX. The ones with a version
// name the version of the processor, too.
const (
	vectors       = "hvx"
	wideVectors   = "hvx_128"
	versionPrefix = "hvx_v"
	systemNone    = "noos"
)

// IsTarget reports whether a target of Halide is one for Hexagon.
func IsTarget(target string) bool {
	return target == Architecture || strings.HasPrefix(target, Architecture+"-")
}

// CheckTarget returns an error that names the remedy if pipelines for a target cannot be run by this package: they
// are for another system than none, or do not use the vector unit, for which alone Halide makes code.
func CheckTarget(target string) error {
	words := strings.Split(target, "-")
	example := Architecture + "-" + systemNone + "-hvx-hvx_v66"
	switch {
	case !IsTarget(target):
		return fmt.Errorf("target %s: not one for Hexagon, which begins with %s", target, Architecture)
	case len(words) < 3 || words[2] != systemNone:
		return fmt.Errorf("target %s: the emulator has no system that Halide knows; choose %s", target, example)
	}
	for _, w := range words[3:] {
		if w == vectors || w == wideVectors {
			return nil
		}
	}
	return fmt.Errorf("target %s: Halide makes code for Hexagon with the vector unit only; add the feature %s, as in %s",
		target, vectors, example)
}

// processor returns the compiler's name of the processor that a target is for. Without a version it is the oldest one
// that Halide knows.
func processor(target string) string {
	for _, w := range strings.Split(target, "-") {
		if version, found := strings.CutPrefix(w, versionPrefix); found {
			return "hexagonv" + version
		}
	}
	return "hexagonv62"
}
