package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// until runs commands, which commas separate, again until a file matches a pattern: "until FILE PATTERN COMMAND… , …".
// Other work on the machine may make a measurement too vague for what is to be shown.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: until FILE PATTERN COMMAND ARGUMENTS… [, COMMAND ARGUMENTS…]")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	for start := time.Now(); time.Since(start) < time.Minute; {
		for rest := args[2:]; len(rest) > 0; {
			one := rest
			if n := slices.Index(rest, ","); n < 0 {
				rest = nil
			} else {
				one, rest = rest[:n], rest[n+1:]
			}
			ts.Check(ts.Exec(one[0], one[1:]...))
		}
		if pattern.MatchString(ts.ReadFile(args[0])) {
			return
		}
	}
	ts.Fatalf("%s does not match %s", args[0], args[1])
}
