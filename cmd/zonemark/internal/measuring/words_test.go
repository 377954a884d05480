package measuring

import (
	"os"
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

// A CPU that cannot be had is left to the system.
func TestAnyCPU(t *testing.T) {
	for want, arguments := range map[string][]string{
		"\n  zonemark run k.c --cpu any -q": {"k.c", "--cpu", "9", "-q"},
		"\n  zonemark run --cpu any k.c":    {"--cpu=9", "k.c"},
		"":                                  {"suite.toml"},
	} {
		if got := (&Task{verb: "run", arguments: arguments}).onAnyCPU(); got != want {
			t.Errorf("%q: %q", arguments, got)
		}
	}
}

// A parameter that the prototype lacks is not part of the command.
func TestCallingPrototype(t *testing.T) {
	shaped := remedy.Remedy{Kind: remedy.Call, Name: "f", Value: "void f(int n, float x[n])", Parameters: "n=4096"}
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"k.c", "--function", "f", "--param", "m=64"}, "k.c --function 'void f(int n, float x[n])' --param n=4096"},
		{[]string{"k.c", "--param=m=64", "--param=n=8", "-q"}, "k.c --param n=8 -q --function 'void f(int n, float x[n])'"},
	} {
		task := &Task{verb: "run", arguments: c.arguments}
		if got := task.Words(shaped); got != "this measures it, if these are its shapes: zonemark run "+c.want {
			t.Errorf("%q: %q", c.arguments, got)
		}
	}
}

// A mistaken word is mended in the user's command, and a parameter of a generator has its own flag.
func TestMendedCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("g.py", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	device := remedy.Remedy{Kind: remedy.Instead, Name: "cpu", Value: "local-task"}
	radius := remedy.Remedy{Kind: remedy.Generated, Name: "radius"}
	for _, c := range []struct {
		arguments []string
		remedy    remedy.Remedy
		want      string
	}{
		{[]string{"m.mlir", "--device=cpu"}, device, "\n  zonemark run m.mlir --device=local-task"},
		{[]string{"suite.toml"}, device, ""},
		{[]string{"m.mlir", "-q"}, remedy.Remedy{Kind: remedy.Shape, Value: "4x4xf32"},
			"give it: zonemark run m.mlir -q --input 4x4xf32"},
		{[]string{"m.onnx", "--dim", "m=8", "--dim=n=2"}, remedy.Remedy{Kind: remedy.Sizes, Value: "n=1\nk=1"},
			"give each one a size, such as --dim n=1 --dim k=1:\n  zonemark run m.onnx --dim m=8 --dim n=1 --dim k=1"},
		{[]string{"--", "x"}, remedy.Remedy{Kind: remedy.Choose, Name: "scheduler", Value: "none or manual"},
			"choose --scheduler none or manual:\n  zonemark run --scheduler none -- x"},
		{[]string{"p.py"}, remedy.Remedy{Kind: remedy.Parameter, Name: "n"}, "give it with --param n=VALUE"},
		{[]string{"p.py", "--param=n=x"}, remedy.Remedy{Kind: remedy.Parameters, Name: "n", Value: "4"},
			"give them with --param n=4:\n  zonemark run p.py --param n=4"},
		{[]string{"m.mlir", "--input=4xf32"}, remedy.Remedy{Kind: remedy.Shape, Value: "4x4xf32"},
			"give it, as in --input=4x4xf32"},
		{nil, device, ""},
		{[]string{"g.py", "--param", "radius=2", "-q"}, radius, "parameters of the generator itself have a flag of their " +
			"own:\n  zonemark run g.py --generator-param radius=2 -q"},
		{[]string{"--param=radius=2", "g.py"}, radius, "parameters of the generator itself have a flag of their " +
			"own:\n  zonemark run --generator-param radius=2 g.py"},
		{[]string{"g.py", "--param", "width=9"}, remedy.Remedy{Kind: remedy.Generated, Name: "width", Value: "dst.extent"},
			"sizes are those of an array, as in --param dst.extent=640x480; parameters of the generator itself have a flag of " +
				"their own:\n  zonemark run g.py --generator-param width=9"},
		{[]string{"g.py", "--param", "r=2"}, radius, ""},
		{[]string{"k.c", "--param", "radius=2"}, radius, "leave it out:\n  zonemark run k.c"},
		{[]string{"k.c", "--param=radius=2", "-q"}, radius, "leave it out:\n  zonemark run k.c -q"},
		{[]string{"k.c", "--param", "m=64"}, remedy.Remedy{Kind: remedy.Generated, Name: "m", Value: "n"},
			"\n  zonemark run k.c --param n=64"},
		{[]string{"suite.toml"}, remedy.Remedy{Kind: remedy.Generated, Name: "m", Value: "n"}, ""},
		{[]string{"k.c", "--try", "T=2,3"}, remedy.Remedy{Kind: remedy.Generated, Name: "T"}, "\n  zonemark run k.c --try D.T=2,3"},
	} {
		task := &Task{verb: "run", arguments: c.arguments}
		if got := task.Words(c.remedy); got != c.want {
			t.Errorf("%q: %q instead of %q", c.arguments, got, c.want)
		}
	}
}
