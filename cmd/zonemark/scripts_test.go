package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/cmd/zonemark/internal/hosting/hostingtest"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/environ"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script/*.txtar, each of which is a session at a terminal. The script command zonemark is the
// program in this process, whose executors are played (package hostingtest). Scripts of what real executors measure are
// in the packages of internal/e2e.
func TestScripts(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // verbs change it
	params := e2e.ScriptParams(t, filepath.Join(here, "testdata", "script"))
	var begun []string // names of the variables that the present script began with
	setup := params.Setup
	params.Setup = func(e *testscript.Env) error {
		err := setup(e)
		begun = nil
		for _, entry := range e.Vars {
			name, _, _ := strings.Cut(entry, "=")
			begun = append(begun, name)
		}
		return err
	}
	params.Cmds["zonemark"] = func(ts *testscript.TestScript, neg bool, args []string) {
		ts.Check(os.Chdir(ts.MkAbs(".")))
		defer os.Chdir(here)
		defer func(before []string) { os.Args = before }(os.Args)
		os.Args = append([]string{"zonemark"}, args...) // journals tell the command
		p := program.Standard()
		p.Streams = cli.Streams{Out: ts.Stdout(), Err: ts.Stderr()}
		p.Variables = variablesOf(ts, begun, params.Dir)
		p.Executors = hostingtest.Executors{Runtimes: p.Runtimes}
		if status := doMain(t.Context(), p, args); (status == 0) == neg {
			ts.Fatalf("zonemark %s: exit status %d", strings.Join(args, " "), status)
		}
	}
	testscript.RunT(oneByOne{t}, params)
}

var setInScript = regexp.MustCompile(`(?m)^env (.*)$`)

// variablesOf returns the environment of a script, as a process that it starts would have it: the variables that it
// began with, and those that it has set. A variable of the tests' process that is none of these is not in it.
func variablesOf(ts *testscript.TestScript, begun []string, folder string) environ.Variables {
	text, err := os.ReadFile(filepath.Join(folder, ts.Name()+".txtar"))
	ts.Check(err)
	names := slices.Clone(begun)
	for _, line := range setInScript.FindAllStringSubmatch(string(text), -1) {
		for _, word := range strings.Fields(line[1]) {
			name, _, _ := strings.Cut(word, "=")
			names = append(names, name)
		}
	}
	var variables environ.Variables
	for _, name := range names {
		variables = variables.With(name + "=" + ts.Getenv(name))
	}
	return variables
}

// oneByOne is a test whose scripts do not run at the same time, since a process has one working folder.
type oneByOne struct{ *testing.T }

func (o oneByOne) Parallel() {}

func (o oneByOne) Run(name string, f func(testscript.T)) {
	o.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

func (o oneByOne) Verbose() bool { return testing.Verbose() }
