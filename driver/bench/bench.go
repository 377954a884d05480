// Package bench holds the parts of a benchmark of a whole model, except measuring: the flags and what they mean on a
// device, the process that exports models, the cache of its exports, their manifests, and the file of records.
//
// It knows the exporter, the Python package zonemark.models, by its command line and its answers (JSON) only, and
// nothing of the runtimes that its programs run on.
package bench

import "fmt"

// Definition defines the times of a record. Help and records state it.
const Definition = "total_time is the time from the first input pushed to the last output received, " +
	"over loop_count iterations, by a monotonic clock; it begins after compilation and warm-up, with weights on the " +
	"device and nothing queued; " + definitionEnd

// OnDeviceDefinition defines the times of a record with a runtime that cannot push inputs and fetch results in a call.
const OnDeviceDefinition = "total_time is the time of loop_count iterations, by a monotonic clock; it begins after " +
	"compilation and warm-up, with weights and inputs on the device, where results stay, and nothing queued; " +
	definitionEnd

// definitionEnd is what both definitions have in common.
const definitionEnd = "a model's modules run one after the other, and their times are added; the median repetition counts"

// SteadyDefinition defines steady_samples_per_sec. Records state it beside Definition.
const SteadyDefinition = "steady_samples_per_sec is the rate if every iteration took as long as the median one"

// Error is a mistake of the user or in a model. It names what to change.
type Error struct {
	File string // the user's file, an absolute path; empty if the mistake is in no file
	Line int    // in File; 0 if it is not known
	Text string
}

func (e *Error) Error() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	case e.File != "":
		return e.File + ": " + e.Text
	}
	return e.Text
}

// refuse returns the error for a flag that cannot be used as it is.
func refuse(format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...)}
}
