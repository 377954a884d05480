package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// countLines is the script command "counts FILE N". It checks that the file, or stdout, has that many lines.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: counts FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	if got := strings.Count(text, "\n"); got != want {
		ts.Fatalf("%s has %d lines, want %d:\n%s", args[0], got, want, text)
	}
}

// countEvents is the script command "json FILE PHASE=N…". It checks that the file, or stdout, is a trace in Chrome's
// JSON object form with so many events of each phase.
func countEvents(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: json FILE PHASE=N…")
	}
	var doc struct {
		TraceEvents []struct {
			Phase string   `json:"ph"`
			Name  *string  `json:"name"`
			Time  *float64 `json:"ts"`
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	count := map[string]int{}
	for _, e := range doc.TraceEvents {
		if e.Name == nil || e.Time == nil && e.Phase != "M" {
			ts.Fatalf("an event has no name or no time")
		}
		count[e.Phase]++
	}
	for _, want := range args[1:] {
		phase, _, _ := strings.Cut(want, "=")
		if got := fmt.Sprintf("%s=%d", phase, count[phase]); got != want {
			ts.Fatalf("%s has %s, want %s", args[0], got, want)
		}
	}
}
