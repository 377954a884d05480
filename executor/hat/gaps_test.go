package hat

import "testing"

// An incomplete package gets everything that is missing in one error, with the lines to add.
func TestGaps(t *testing.T) {
	t.Parallel()
	const functions = "[description]\n[functions.f]\narguments = [{name = \"n\", declared_type = \"long\"},\n" +
		"  {name = \"x\", declared_type = \"const float*\", size = \"n\"}, {declared_type = \"float*\"}]\n"
	const gaps = "argument 1 (n): logical_type = \"element\", usage = \"input\"\n" +
		"argument 2 (x): logical_type = \"runtime_array\", usage = \"input\"\n" +
		"argument 3: logical_type = \"affine_array\", shape = [64], usage = \"output\""
	_, err := DecodePackage("p.hat", []byte(functions))
	want := "p.hat: there are no tables [target], [dependencies], [compiled_with], [declaration]; the file is cut off " +
		"or incomplete: generate it again, or add these lines:\n[target]\n[dependencies]\nlink_target = \"NAME.so\"\n" +
		"[compiled_with]\n[declaration]\nand in [functions.f]:\n" + gaps
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	p, err := DecodePackage("p.hat", []byte(functions+"[target]\n[dependencies]\n[compiled_with]\n[declaration]\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.prototypeOf(p.Functions[0])
	if want := "p.hat:2: function f lacks keys of its arguments; add\n" + gaps; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}
