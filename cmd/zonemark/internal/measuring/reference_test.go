package measuring

import (
	"flag"
	"os"
	"testing"

	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations/suite"
)

// TestSuiteReference compares the page of suite keys with the table from which it is made.
func TestSuiteReference(t *testing.T) {
	const page = "../../../../docs/suite-keys.md"
	got := "# Keys of suites\n\n" +
		"An entry of a suite, or its `[defaults]`, may hold these keys. An axis of such a name sets the key, any " +
		"other axis " +
		"a parameter.\nBeside them stand the tables `params`, `arguments`, `verify`, `axes` and `exclude`.\n\n" +
		"Above the first table may stand `via`, an array of the commands that lead to the hosts which measure the suite " +
		"([remote.md](remote.md)). `spread = true` has each of these hosts measure everything. The flags `--via` and " +
		"`--spread` take precedence. There, too, stand `trace_rules` ([traces.md](traces.md)).\n\n" +
		suite.Reference(suite.AllKeys(runtimes.All().Options()))
	if *updateDocs {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not what the table says; run go test ./cmd/zonemark/internal/measuring -run "+
			"TestSuiteReference -update-docs", page)
	}
}

var updateDocs = flag.Bool("update-docs", false, "write the pages that are made from tables anew")
