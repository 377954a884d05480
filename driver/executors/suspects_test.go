package executors

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// The error of a crash or a timeout names the inputs that were random integers, and says how to give others.
func TestSuspects(t *testing.T) {
	crashed := invocations.Result{Status: invocations.Crashed, Crash: &invocations.Crash{Signal: "SIGSEGV"}}
	late := invocations.Result{Status: invocations.Timeout, Crash: &invocations.Crash{Signal: "SIGKILL"}}
	loading := invocations.Result{Status: invocations.Crashed, Crash: &invocations.Crash{Signal: "SIGSEGV", Phase: "prepare"}}
	left := invocations.Result{Status: invocations.Crashed, Crash: &invocations.Crash{}}
	array := func(name string, e invocations.ElementType, fill invocations.Fill) invocations.Argument {
		return invocations.Argument{Name: name, Element: e, Contents: invocations.Contents{Fill: fill}}
	}
	ids, x := array("ids", invocations.Int64, ""), array("x", invocations.Float32, "")
	byValue, output := array("n", invocations.Int32, ""), array("y", invocations.Int32, "")
	byValue.ByValue, output.Usage = true, invocations.Output
	many := []invocations.Argument{ids, array("", invocations.Uint8, "random"), array("c", invocations.Int8, ""),
		array("d", invocations.Int16, ""), array("e", invocations.Int32, ""), array("f", invocations.Int32, "")}
	for _, c := range []struct {
		name   string
		list   []invocations.Argument
		result invocations.Result
		want   string // the beginning
	}{
		{"one", []invocations.Argument{x, ids}, crashed,
			"; its input ids holds random integers, which may not be valid indices or counts: --input ids=0, ids=iota " +
				"or ids=FILE.npy gives others"},
		{"late", []invocations.Argument{ids}, late, "; its input ids holds random integers"},
		{"many", many, crashed, "; its inputs ids, 1, c, d, 2 more hold random integers"},
		{"no integers", []invocations.Argument{x, byValue, output, array("b", invocations.Bool, "")}, crashed, ""},
		{"chosen", []invocations.Argument{array("ids", invocations.Int64, invocations.FillIota)}, crashed, ""},
		{"before it was called", []invocations.Argument{ids}, loading, ""},
		{"it has called exit", []invocations.Argument{ids}, left, ""},
	} {
		got := suspects(&invocations.Invocation{Arguments: c.list}, &c.result)
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
