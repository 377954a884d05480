package measuring

import (
	"flag"
	"os"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations"
	"zonemark/invocations/suite"

	"github.com/spf13/pflag"
)

// TestMadeUpKey adds a key through one row and gets its flag: help, default, errors, and precedence over a suite.
func TestMadeUpKey(t *testing.T) {
	keys := append(suite.Keys(), suite.Key{Name: "profile_calls", Kind: suite.Integer, Flag: "profile-calls",
		Usage: "calls under the profiler",
		Field: func(v *invocations.Invocation) any { return &v.Measure.ProfileCalls }})
	given := invocations.Invocation{Measure: invocations.Measure{ProfileCalls: 5, Seed: 3}}
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags := keyFlags{set: set, inv: &given, left: keys}
	flags.add("mode", "seed")
	flags.add()
	if help := set.FlagUsages(); !strings.Contains(help, "--profile-calls n") || !strings.Contains(help,
		"calls under the profiler (default 5)") {
		t.Errorf("help: %s", help)
	}
	if err := set.Parse([]string{"--profile-calls", "-3"}); err == nil || !strings.Contains(err.Error(),
		"want a whole number") {
		t.Errorf("a negative number: %v", err)
	}
	if err := set.Parse([]string{"--profile-calls", "7"}); err != nil {
		t.Fatal(err)
	}
	inv := invocations.Invocation{Measure: invocations.Measure{ProfileCalls: 1, Seed: 8}}
	for _, key := range givenKeys(givenFlags(set), keys) {
		key.Copy(&inv, &given)
	}
	if inv.Measure.ProfileCalls != 7 || inv.Measure.Seed != 8 {
		t.Errorf("over the suite: %+v", inv.Measure)
	}
}

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

// TestEveryKeyHasAFlag checks that every key that names a flag has it.
func TestEveryKeyHasAFlag(t *testing.T) {
	f := NewFlags("test", program.Standard(), nil)
	for _, key := range suite.Keys() {
		if key.Flag != "" && f.Set.Lookup(key.Flag) == nil {
			t.Errorf("%s has no flag --%s", key.Name, key.Flag)
		}
	}
}
