package measuring

import (
	"testing"

	"zonemark/invocations/remedy"
)

// The command that calls a function is that of the user, with what was missing.
func TestCallingCommand(t *testing.T) {
	sizes := remedy.Remedy{Kind: remedy.Call, Parameters: "h=64 a=1.5"}
	for _, c := range []struct {
		verb      string
		arguments []string
		remedy    remedy.Remedy
		want      string
	}{
		{"run", []string{"k.c"}, sizes, "zonemark run k.c --param h=64 --param a=1.5"},
		{"halide run", []string{"g.cpp"}, sizes, "zonemark halide run g.cpp --param h=64 --param a=1.5"},
		{"run", []string{"k.c", "--param", "w=1,2,h=8,a=2"}, sizes, "zonemark run k.c --param w=1,2 --param h=8 --param a=2"},
		{"run", []string{"--param=w=1,h=8", "k.c"}, sizes, "zonemark run --param w=1 --param h=8 k.c --param a=1.5"},
		{"run", []string{"--param", "w=x=1,y=2", "k.c"}, sizes, "zonemark run --param w=x=1,y=2 k.c --param h=64 --param a=1.5"},
	} {
		task := &Task{verb: c.verb, arguments: c.arguments}
		if got := task.Words(c.remedy); got != "give each value, for example:\n  "+c.want {
			t.Errorf("%q: %q", c.arguments, got)
		}
	}
}
