// Package journaltest makes up invocations as large plans and journals have them, for tests.
package journaltest

import (
	"fmt"
	"strings"

	"zonemark/invocations"
)

// Invocation returns the i-th of many invocations of a function with one argument.
func Invocation(i int) invocations.Invocation {
	return invocations.Invocation{
		ID: fmt.Sprintf("%016x", i+1), Name: fmt.Sprintf("nop/n=%d", i), Runtime: "hat", Function: "nop",
		Artifact:   invocations.Artifact{Path: "/home/someone/kernels/nop.hat", SHA256: strings.Repeat("0123456789abcdef", 4)},
		Parameters: map[string]string{"n": fmt.Sprint(i)},
		Arguments: []invocations.Argument{{Name: "a", Element: invocations.Float32, Shape: []int64{1},
			Usage: invocations.InputOutput}},
		Measure: invocations.Measure{Mode: invocations.Warm},
	}
}
