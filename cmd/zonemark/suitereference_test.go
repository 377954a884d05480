package main

import (
	"testing"

	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations/suite"
)

// TestSuiteReference compares the page of suite keys with the table from which it is made.
func TestSuiteReference(t *testing.T) {
	comparePage(t, "suite-keys.md", "# Keys of suites\n\n"+
		"An entry of a suite, or its `[defaults]`, may hold these keys. An axis of such a name sets the key, any "+
		"other axis a parameter.\nBeside them stand the tables `params`, `arguments`, `verify`, `axes` and `exclude`.\n\n"+
		"Above the first table may stand `via`, an array of the commands that lead to the hosts which measure the suite "+
		"([remote.md](remote.md)). `spread = true` has each of these hosts measure everything. The flags `--via` and "+
		"`--spread` take precedence. There, too, stand `trace_rules` ([traces.md](traces.md)).\n\n"+
		suite.Reference(suite.AllKeys(runtimes.All().Options())))
}
