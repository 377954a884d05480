package main

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// countLines is the script command "counts FILE N": the file, or stdout, has that many lines.
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
