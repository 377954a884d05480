package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/driver/setup"
	"zonemark/invocations/environ"
	"zonemark/invocations/testsize"

	"github.com/rogpeppe/go-internal/testscript"
)

// Scripts runs the scripts (*.txtar) of a folder, each of which is a session at a terminal.
func Scripts(t *testing.T, folder string) {
	params := ScriptParams(t, folder)
	setup, program := params.Setup, filepath.Dir(Program(t))
	params.Setup = func(e *testscript.Env) error {
		e.Setenv("PATH", program+string(filepath.ListSeparator)+e.Getenv("PATH"))
		return setup(e)
	}
	testscript.Run(t, params)
}

// ScriptParams returns how the scripts of a folder run. If IREE and Halide are installed, they are in their environment.
// A script that needs one begins with "[!iree] skip" or "[!halide] skip", which never skips in CI. One that takes long
// begins with "[!large] skip", see package testsize.
func ScriptParams(t *testing.T, folder string) testscript.Params {
	t.Helper()
	iree, noIREE := setup.FindIREE(setup.Options{Variables: environ.Of(Environment()...)})
	halide, noHalide := setup.FindHalide(setup.Options{Variables: environ.Of(Environment()...)})
	missing := map[string]error{"iree": noIREE, "halide": noHalide}
	variables := []string{
		"ZONEMARK_HOME=" + Cache(t), "TESTDATA=" + Testdata(t), "EXAMPLE=" + Example(t),
		"TRACES=" + Top(t, "trace", "testdata"), "IREE=" + Top(t, "executor", "iree", "testdata"),
		"HALIDE=" + Top(t, "executor", "halide", "testdata"),
	}
	if noIREE == nil {
		variables = append(variables, iree.Environment()...)
	}
	if noHalide == nil {
		variables = append(variables, halide.Environment()...)
	}
	return testscript.Params{
		Dir: folder,
		Setup: func(e *testscript.Env) error {
			for _, entry := range variables {
				name, value, _ := strings.Cut(entry, "=")
				e.Setenv(name, value)
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "large" {
				return testsize.Large(), nil
			}
			err, known := missing[name]
			if !known {
				return false, fmt.Errorf("no condition %q", name)
			}
			return err == nil || os.Getenv("CI") == "true", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"counts": countLines, "json": countEvents, "until": until},
	}
}

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
