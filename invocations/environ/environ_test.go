package environ

import (
	"slices"
	"testing"
)

func TestVariables(t *testing.T) {
	base := Of("A=1", "B=x=y", "A=2", "=C:=C:\\here", "EMPTY=")
	next := base.With("B=3", "D=4")
	for _, c := range []struct {
		variables  Variables
		name, want string
	}{
		{base, "A", "2"}, {base, "B", "x=y"}, {base, "=C:", "C:\\here"}, {base, "EMPTY", ""}, {base, "D", ""},
		{next, "A", "2"}, {next, "B", "3"}, {next, "D", "4"},
		{next.Without("A", "D"), "A", ""}, {next.Without("A"), "D", "4"}, {Variables{}, "A", ""},
	} {
		if got := c.variables.Lookup(c.name); got != c.want {
			t.Errorf("%v: %s is %q, want %q", c.variables.Entries(), c.name, got, c.want)
		}
	}
	if want := []string{"A=2", "B=3", "=C:=C:\\here", "EMPTY=", "D=4"}; !slices.Equal(next.Entries(), want) {
		t.Errorf("entries %q, want %q", next.Entries(), want)
	}
	if entries := (Variables{}).Entries(); entries == nil || len(entries) != 0 {
		t.Errorf("no variables are %#v", entries)
	}
}

// A change of a list by its caller does not change the variables from which the list came.
func TestVariablesDoNotChange(t *testing.T) {
	v := Of("A=1")
	entries := v.Entries()
	entries[0] = "A=2"
	first, second := v.With("B=1"), v.With("C=1")
	if v.Lookup("A") != "1" || first.Lookup("C") != "" || second.Lookup("B") != "" {
		t.Errorf("%v %v %v", v, first, second)
	}
}

func TestOfProcess(t *testing.T) {
	t.Setenv("ZONEMARK_TEST_OF_PROCESS", "here")
	if got := OfProcess().Lookup("ZONEMARK_TEST_OF_PROCESS"); got != "here" {
		t.Errorf("it is %q", got)
	}
}
