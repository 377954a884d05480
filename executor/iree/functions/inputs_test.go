package functions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// TestDynamicFromFile takes the shape that a module leaves open from the file that fills it.
// Integers of MLIR have no sign: those of a file keep theirs. Indices are numbers of 64 bits.
func TestSigns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	if err := os.WriteFile(path, append(append(file, header...), 200, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	a := invocations.Argument{
		Element: invocations.Int8, Shape: []int64{2}, Contents: invocations.Contents{Fill: invocations.FillFile, Path: path},
	}
	if got, err := fillInput(&a, 0); err != nil || got.Element != invocations.Uint8 || got.Data[0] != 200 {
		t.Errorf("%+v, %v", got, err)
	}
	a.Element = invocations.Float32
	if _, err := fillInput(&a, 0); err == nil || !strings.Contains(err.Error(), "does not hold float32") {
		t.Error(err)
	}
	header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
	file = append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	if err := os.WriteFile(path, append(append(file, header...), make([]byte, 16)...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fillInput(&a, 0); !strings.Contains(remedy.Told(err, nil), "compile-flags --iree-input-demote-f64-to-f32=false") {
		t.Error(err)
	}
	index := vmfb.Value{Name: "n", Type: vmfb.Type{Kind: vmfb.Scalar, Element: "index", Text: "index"}}
	if a, problem := Argument(index, invocations.Input); problem != "" || a.Element != invocations.Int64 || !a.ByValue {
		t.Errorf("%+v, %s", a, problem)
	}
	results := []tensor.Tensor{{Element: invocations.Int8}, {Element: invocations.Int32}}
	out := Outputs(results, []invocations.Argument{{Element: invocations.Float32, Usage: invocations.Input},
		{Element: invocations.Uint8, Usage: invocations.Output}, {Element: invocations.Float32, Usage: invocations.Output}})
	if out[0].Element != invocations.Uint8 || out[1].Element != invocations.Int32 {
		t.Errorf("%+v", out)
	}
}

func TestDynamicFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	file = append(append(file, header...), make([]byte, 48)...)
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	for extent, want := range map[string]string{
		"?x4": "",
		"*":   "",
		"?x5": "its type is ?x5xf32",
		"?":   "its type is ?xf32",
	} {
		a := invocations.Argument{
			Element:  invocations.Float32,
			Extent:   extent,
			Contents: invocations.Contents{Fill: invocations.FillFile, Path: path},
		}
		got, err := fillInput(&a, 0)
		switch {
		case want == "" && (err != nil || got.Type() != "3x4xf32"):
			t.Errorf("%s: %s, %v", extent, got.Type(), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", extent, err, want)
		}
	}
}

// Numbers that are returned by value have the declared type if the virtual machine's holds it, and never more bytes.
func TestScalarResults(t *testing.T) {
	declare := func(list ...invocations.ElementType) (described []invocations.Argument) {
		for _, e := range list {
			described = append(described, invocations.Argument{Element: e, Usage: invocations.Output, ByValue: true})
		}
		return described
	}
	word := tensor.Tensor{Element: invocations.Int32, Data: []byte{0x38, 0x3f, 0, 0}, Scalar: true}
	for declared, want := range map[invocations.ElementType]string{
		invocations.Float8E4M3FN: "\x38", invocations.BFloat16: "\x38\x3f", invocations.Uint32: "\x38\x3f\x00\x00",
		invocations.Int64: "", invocations.Float32: "", "": "",
	} {
		out := Outputs([]tensor.Tensor{word}, declare(declared))[0]
		if want == "" {
			declared, want = invocations.Int32, string(word.Data)
		}
		if out.Element != declared || string(out.Data) != want {
			t.Errorf("%s: % x, want % x of %s", out.Element, out.Data, want, declared)
		}
	}
	wide := tensor.Tensor{Element: invocations.Float64, Data: make([]byte, 8), Scalar: true}
	if out := Outputs([]tensor.Tensor{wide}, declare(invocations.BFloat16)); out[0].Element != invocations.Float64 {
		t.Errorf("a float64 is taken for %s", out[0].Element)
	}
}
