package executors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// mostSuspects is how many inputs an error names.
const mostSuspects = 4

// suspects returns what to add to the error of an invocation that native code did not survive, if inputs of it were
// random integers: they may be indices beyond an array, or counts of turns without an end. It returns "" otherwise.
func suspects(inv *invocations.Invocation, r *invocations.Result) string {
	faults := []string{"SIGSEGV", "SIGBUS", "SIGFPE", "SIGABRT", "SIGILL", "SIGTRAP"}
	crashed := r.Status == invocations.Crashed && r.Crash != nil && slices.Contains(faults, r.Crash.Signal)
	if !crashed && r.Status != invocations.Timeout || r.Crash.Phase == "prepare" {
		return "" // in that phase, the function has not been called
	}
	var names []string
	for i := range inv.Arguments {
		a := &inv.Arguments[i]
		drawn := a.Fill == invocations.FillRandom || a.Fill == invocations.FillDefault && !a.ByValue
		if !drawn || a.Usage == invocations.Output || a.Element.Size() < 1 || a.Element.Float() ||
			a.Element == invocations.Bool {
			continue
		}
		name := a.Name
		if name == "" {
			name = strconv.Itoa(i)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	first, subject := names[0], "input "+names[0]+" holds"
	if n := len(names); n > 1 {
		if n > mostSuspects {
			names = append(names[:mostSuspects], fmt.Sprintf("%d more", n-mostSuspects))
		}
		subject = "inputs " + strings.Join(names, ", ") + " hold"
	}
	return fmt.Sprintf("; its %s random integers, which may not be valid indices or counts: --input %s=0, %[2]s=iota "+
		"or %[2]s=FILE.npy gives others", subject, first)
}
