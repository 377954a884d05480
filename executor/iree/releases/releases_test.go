package releases

import (
	"strings"
	"testing"

	"zonemark/executor/iree/dispatchmode"
	"zonemark/executor/iree/vmfb"
)

// TestVersionOfALibrary loads modules whose bytecode fits and whose libraries do not.
func TestVersionOfALibrary(t *testing.T) {
	here := func(abi uint32) vmfb.Library { return vmfb.Library{Name: "a.so", Machine: vmfb.Here, ABI: abi} }
	for _, c := range []struct {
		libraries []vmfb.Library
		want      string // empty: the module runs
		callable  bool
	}{
		{nil, "", false},
		{[]vmfb.Library{here(6)}, "", true},
		{[]vmfb.Library{here(6), {Name: "b.so", Machine: "vax", ABI: 5}}, "", true},
		{[]vmfb.Library{here(0)}, "", false}, // what was not read is left to the runtime
		{[]vmfb.Library{here(5)}, "IREE 3.13.2: its dispatch library a.so has interface version 0.5 and the runtime " +
			"calls version 0.6", true},
		{[]vmfb.Library{here(6), here(7)}, "interface version 0.7 and the runtime calls version 0.6", false},
	} {
		m := &vmfb.Module{Bytecode: vmfb.BytecodeVersion{Major: 17}, Libraries: c.libraries}
		if err := Unfit(m, "3.13.2"); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.libraries, err, c.want)
		}
		if err := Unfit(m, "3.130.0"); err != nil {
			t.Errorf("a release that is not known refuses %v: %v", c.libraries, err)
		}
		if got := dispatchmode.Callable(m); got != c.callable {
			t.Errorf("%v: callable %v", c.libraries, got)
		}
	}
}
