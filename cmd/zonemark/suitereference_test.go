package main

import (
	"testing"

	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations/suite"
)

// TestSuiteReference compares the page of suite keys with the table from which it is made.
func TestSuiteReference(t *testing.T) {
	comparePage(t, "suite-keys.md", "# Keys of suites\n\n"+
		"An entry of a suite, or its `[defaults]`, may hold these keys. An axis with the name of a key sets that key; "+
		"any other axis sets a parameter.\nAn entry also has the tables `params`, `arguments`, `verify`, `axes` and "+
		"`exclude`.\n\nThree keys belong to the suite itself, and stand above its first table. `via` is an array of the "+
		"commands that lead to\nthe hosts that measure ([remote.md](remote.md)). `spread = true` has each of these hosts "+
		"measure everything. The flags\n`--via` and `--spread` take precedence. `trace_rules` explains the zones of "+
		"captures ([traces.md](traces.md)).\n\n"+
		suite.Reference(suite.AllKeys(runtimes.All().Options())))
}
