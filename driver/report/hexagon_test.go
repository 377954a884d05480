package report

import (
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// emulatedRun returns a run with records that an emulator has made: counts, and no times.
func emulatedRun() Run {
	run := exampleRun()
	var records []invocations.Record
	for _, name := range []string{"gauss", "sobel"} {
		record := invocations.NewRecord(
			invocations.Invocation{Name: name, Runtime: "halide", Function: name},
			invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Stop: invocations.StopCheck,
				Mode: invocations.Warm},
				Layers:  []string{"seccomp"},
				Hexagon: &invocations.HexagonCounts{Packets: 94319, Instructions: 187513, VectorInstructions: 133508}},
		)
		records = append(records, record)
	}
	run.Records, run.Rankings = invocations.RecordsOf(records...), nil
	return run
}

// What an emulator counts is never shown as a time.
func TestHexagonHasNoTimes(t *testing.T) {
	for _, r := range recordstest.All(t, emulatedRun().Records) {
		if r.Timed() || r.MedianNS != nil || r.HexagonPackets == nil {
			t.Errorf("%+v", r)
		}
	}
	if text := write(t, "text", emulatedRun()); strings.Contains(text, "median") ||
		strings.Contains(text, "Nothing was measured") || !strings.Contains(text, "94,319") {
		t.Errorf("text:\n%s", text)
	}
}
