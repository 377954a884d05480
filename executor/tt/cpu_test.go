package tt

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// TestMatmul checks matrix multiplication in several element types, with buffers kept and pushed, on one device and on
// all. A program is compiled once for all checks that compile it alike.
func TestMatmul(t *testing.T) {
	r, folder := cpuRuntime(t), t.TempDir()
	r.compiled = Compiled{Folder: folder, Fresh: folder}
	for _, element := range []string{"f32", "f64", "f16", "bf16", "i32"} {
		for _, options := range []map[string]string{
			nil,
			{"transfers": "included"},
			{"transfers": "included", "resident-inputs": "1"},
			{"transfers": "included", "resident-inputs": "2", "chips": "0"},
			{"chips": "0"},
		} {
			inv := invocation(t, r, filepath.Join("testdata", "matmul_"+element+".mlir"), options,
				[]string{"3x4x" + element + "=1 2 3 4 5 6 7 8 9 10 11 12", "4x2x" + element + "=1 0 0 1 1 0 0 1"},
				[]string{"3x2x" + element + "=4 6 12 14 20 22"})
			mismatch, notes, err := check(t, r, inv, 0)
			if mismatch != "" || err != nil {
				t.Errorf("%s, %v: %s %v", element, options, mismatch, err)
			}
			if text := strings.Join(notes, "\n"); !strings.Contains(text, "cost of a call by the plugin's analysis: ") {
				t.Errorf("%s: notes %s", element, text)
			}
			inv.Verify.Expected = []string{"3x2x" + element + "=4 6 12 14 20 33"}
			mismatch, _, err = check(t, r, inv, 0)
			if !strings.Contains(mismatch, "1 of 6 elements differ; the first is element 5: got 22, want 33") ||
				err != nil {
				t.Errorf("%s, %v: a wrong result is found as %q, %v", element, options, mismatch, err)
			}
		}
	}
}

// TestForms checks the same program as text, in generic form and as bytecode. The plugin provides the types of the last
// two.
func TestForms(t *testing.T) {
	r := cpuRuntime(t)
	for _, file := range []string{"results.mlir", "generic.stablehlo", "results.mlirbc"} {
		inv := invocation(t, r, filepath.Join("testdata", file), nil, []string{"2x2xf32=1 2 3 4", "2x2xf32=2", "i32=7"},
			[]string{"2x2xf32=2 4 6 8", "2x2xi1=0 0 1 1", "2xf32=7 7", "i32=7"})
		if mismatch, _, err := check(t, r, inv, 0); mismatch != "" || err != nil {
			t.Errorf("%s: %s %v", file, mismatch, err)
		}
	}
}

// TestElementTypes checks that every element type that the plugin knows goes in and out unchanged, filled at random.
func TestElementTypes(t *testing.T) {
	r := cpuRuntime(t)
	for _, element := range []string{
		"i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64",
		"f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>",
		"f8E5M2", "f8E4M3FN", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3", "f8E3M4", "f8E8M0FNU", "f4E2M1FN",
		"i4", "ui4", "i2", "ui2",
	} {
		// The entry returns its argument, so the results must equal the inputs bit by bit.
		source := strings.ReplaceAll("func.func @main(%a: tensor<3x5xT>) -> tensor<3x5xT> {\n"+
			"  return %a : tensor<3x5xT>\n}", "T", element)
		inv := invocation(t, r, write(t, source), map[string]string{"transfers": "included"}, nil, nil)
		loaded, err := r.Load(inv.Artifact)
		if err != nil {
			t.Errorf("%s: %v", element, err)
			continue
		}
		p := loaded.(*program)
		call, err := p.Prepare(inv, 0)
		if err != nil {
			t.Fatalf("%s: %v", element, err)
		}
		set, _, err := p.prepareSet(inv, 0)
		if err != nil {
			t.Fatalf("%s: %v", element, err)
		}
		if err := set.invoke(); err != nil {
			t.Errorf("%s: %v", element, err)
		}
		set.results[0][0].settle()
		in, err := p.inputs(inv, 0, share{0, 1})
		if err != nil || string(in[0].data) != string(set.results[0][0].data) {
			t.Errorf("%s: % x came back as % x, %v", element, in[0].data, set.results[0][0].data, err)
		}
		if err := set.execution.FreeOutputs(); err != nil {
			t.Error(err)
		}
		call.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenShape checks that an argument of open shape takes the shape that the user gives, if the plugin accepts it.
func TestOpenShape(t *testing.T) {
	r := cpuRuntime(t)
	path := write(t, "func.func @main(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {\n  return %a : tensor<?x2xf32>\n}")
	inv := invocation(t, r, path, nil, nil, nil)
	if got := inv.Arguments[0].Extent; got != "?x2" {
		t.Errorf("extent %q", got)
	}
	_, _, err := check(t, r, inv, 0)
	if err == nil {
		t.Error("a program of an open shape ran without a shape")
	}
}

func TestDescribe(t *testing.T) {
	r := New(Plugins{}, Compiled{}) // text is read without a plugin
	ds, err := r.Describe("testdata", executor.DescribeOptions{})
	if err == nil || !strings.Contains(err.Error(), "no PJRT plugin is there") {
		t.Errorf("bytecode was described without a plugin: %v, %v", ds, err)
	}
	ds, err = r.Describe(filepath.Join("testdata", "results.mlir"), executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := ds[0].Functions[0]
	const want = "(tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi1>, " +
		"tensor<complex<f32>>, tensor<i32>)"
	if f.Name != "main" || f.Signature != want || f.Skip != "" || len(f.Arguments) != 7 ||
		len(ds[0].Artifact.SHA256) != 64 {
		t.Errorf("%+v", ds[0])
	}
	a := f.Arguments[5]
	if a.Usage != invocations.Output || a.Element != invocations.Float32 || len(a.Shape) != 1 || a.Shape[0] != 2 {
		t.Errorf("a complex number is %+v", a)
	}
	ds, err = r.Describe(write(t, "func.func @main(%a: tensor<4xf32>, %t: !stablehlo.token, %c: tensor<2xf8E4M3FN>)"),
		executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f = ds[0].Functions[0]
	if !strings.Contains(f.Skip, "%t is of type !stablehlo.token") || f.Note != "f8E4M3FN is given as bit patterns" {
		t.Errorf("%+v", f)
	}
	for path, want := range map[string]string{
		filepath.Join("testdata", "none.mlir"): "none.mlir",
		t.TempDir():                            "holds no StableHLO program",
		write(t, "func.func @other() {}"):      "program.stablehlo: none of the 1 functions is @main",
	} {
		if _, err := r.Describe(path, executor.DescribeOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", path, err, want)
		}
	}
}

func TestWrongInputs(t *testing.T) {
	r := cpuRuntime(t)
	path := filepath.Join("testdata", "add.mlir")
	for _, c := range []struct {
		change func(*invocations.Invocation)
		want   string
	}{
		{func(i *invocations.Invocation) { i.Function = "mein" }, `run by its function main, not "mein"`},
		{func(i *invocations.Invocation) { i.Verify.Reference = "other" }, "; expected"},
		{func(i *invocations.Invocation) { i.Arguments = i.Arguments[1:] },
			"1 inputs are given and main takes 2: (tensor<4xf32>, tensor<4xf32>)"},
		{func(i *invocations.Invocation) { i.Arguments = append(i.Arguments, i.Arguments[0]) },
			"more inputs than the 2"},
		{func(i *invocations.Invocation) { i.Arguments[1].Shape = []int64{5} },
			`it is given the shape "5" and its type is tensor<4xf32>`},
		{func(i *invocations.Invocation) { i.Arguments[1].Element = invocations.Int32 },
			"it is given as 4xi32 and its type is tensor<4xf32>"},
		{func(i *invocations.Invocation) { i.Verify.Expected = []string{"4xf32=1", "4xf32=1"} },
			"2 outputs are expected, and the function has 1"},
		{func(i *invocations.Invocation) { i.Verify.Expected = []string{"4xf32"} }, "the values are missing"},
		{func(i *invocations.Invocation) { i.Verify.Expected = []string{"4xf64=1"} },
			"the result is of type tensor<4xf32>"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"transfers": "some"} },
			"transfers=some: want excluded"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"compile-cache": "no"} },
			"compile-cache=no: want on or off"},
		{func(i *invocations.Invocation) {
			i.Artifact.Options = map[string]string{"compile-options-file": "none.pb"}
		}, "option compile-options-file: open none.pb"},
		{func(i *invocations.Invocation) {
			i.Artifact.Options = map[string]string{"transfers": "included", "resident-inputs": "3"}
		}, "the program takes 2 inputs"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"resident-inputs": "1"} },
			"unless transfers=included"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"resident-inputs": "-1"} },
			"not a number of inputs"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"chips": "-1"} },
			"chips=-1: not a number of devices"},
		{func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"compile-options": "fast"} },
			"want NAME=VALUE"},
	} {
		inv := invocation(t, r, path, nil, nil, nil)
		inv.Arguments = append([]invocations.Argument{}, inv.Arguments...)
		c.change(inv)
		if _, _, err := check(t, r, inv, 0); err == nil || !strings.Contains(remedy.Told(err, nil), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
	inv := invocation(t, r,
		write(t, "func.func @main(%a: tensor<2xi4>) -> tensor<2xi4> {\n  return %a : tensor<2xi4>\n}"), nil,
		[]string{"2xi8=-8 8"}, nil)
	_, _, err := check(t, r, inv, 0)
	if err == nil || !strings.Contains(err.Error(), "element 1 is out of range for i4") {
		t.Errorf("error %v", err)
	}
}
