package measureflags

import (
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
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
	for _, key := range measuring.GivenKeys(givenFlags(set), keys) {
		key.Copy(&inv, &given)
	}
	if inv.Measure.ProfileCalls != 7 || inv.Measure.Seed != 8 {
		t.Errorf("over the suite: %+v", inv.Measure)
	}
}

// TestEveryKeyHasAFlag checks that every key that names a flag has it.
func TestEveryKeyHasAFlag(t *testing.T) {
	f := New("test", program.Standard(), nil)
	for _, key := range suite.Keys() {
		if key.Flag != "" && f.Set.Lookup(key.Flag) == nil {
			t.Errorf("%s has no flag --%s", key.Name, key.Flag)
		}
	}
}
