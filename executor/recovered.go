package executor

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// recovered ends a panic of the calling function, which must defer it, and stores what has failed and where. Without a
// panic it does nothing.
//
// Once the sandbox is sealed, nothing but the driver learns why a process has ended, and it takes the artifact for the
// cause. Only Go code panics: a fault of native code is a signal outside of Go and ends the process.
func recovered(fault *string) {
	cause := recover()
	if cause == nil {
		return
	}
	*fault = fmt.Sprintf("zonemark's own code has failed%s, not the artifact: %v; please report it, with this text",
		panicPlace(), cause)
}

// panicPlace returns the place in the source that has panicked, in brackets; "" if it is not known.
func panicPlace() string {
	calls := make([]uintptr, 32)
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls)]) // those of the panic, then those below it
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(" (%s, line %d)", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}
