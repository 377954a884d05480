package hosting

import (
	"fmt"

	"zonemark/driver/executors"
	"zonemark/driver/plan"
)

// The roles of executors that drivers on other machines ask for.
const (
	ToMeasure = roleMeasure
	ToRecord  = roleRecord
	ToTrace   = roleTrace
)

// Elsewhere returns a starter of executors of a role for a driver on another machine. They may read what o.Read names,
// and what is of the system.
func Elsewhere(role string, o Options) (*executors.Local, error) {
	served := o.Serving(&plan.Plan{})
	switch role {
	case ToMeasure:
		return NewMeasurer(served), nil
	case ToRecord:
		return NewRecorder(served), nil
	}
	return nil, fmt.Errorf("no executor of the role %.40q can be asked for", role)
}

// TracedElsewhere returns a starter of captured executors for a driver on another machine. Variables of the executors
// name the capture tool and make their runtimes ones with a client. The first capture gets the path output.
func TracedElsewhere(o Options, output string) *Tracer {
	return NewTracer(o.Serving(&plan.Plan{}), CaptureOptions{
		Output: output, MaxBytes: MostCaptureBytes, MaxDuration: LongestCapture,
	})
}
