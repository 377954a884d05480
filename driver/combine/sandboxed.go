package combine

import (
	"fmt"

	"zonemark/invocations"
)

// sandboxedShare is the fraction of a call's time from which the sandbox's part makes the figure another one.
const sandboxedShare = 0.01

// sandboxNote says by how much the sandbox lengthens a call of ns nanoseconds; "" if that is little or not known.
func sandboxNote(counts []invocations.Count, ns float64) string {
	for _, c := range counts {
		if c.Name == invocations.CountSandboxNS && c.PerCall > sandboxedShare*ns {
			return fmt.Sprintf("system calls take much of its time, and each takes longer in the sandbox: about %.2g %% of the "+
				"time is due to the sandbox", 100*c.PerCall/ns)
		}
	}
	return ""
}
