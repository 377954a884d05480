package tt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
)

// saveWithNumPy saves arrays of types that NumPy does not have (ml_dtypes) or saves as two numbers (complex).
const saveWithNumPy = `
import os, sys
import ml_dtypes, numpy as np
names = {"f8E5M2": "float8_e5m2", "f8E4M3FN": "float8_e4m3fn", "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
         "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E4M3": "float8_e4m3",
         "f8E3M4": "float8_e3m4", "i4": "int4", "ui4": "uint4", "i2": "int2", "ui2": "uint2"}
for name, dtype in names.items():
    values = np.array([[1, -2, 0], [-1, 1, 1]] if name[0] != "u" else [[1, 2, 0], [3, 1, 1]])
    np.save(os.path.join(sys.argv[1], name), values.astype(getattr(ml_dtypes, dtype)))
for name, dtype in {"complex<f32>": np.complex64, "complex<f64>": np.complex128}.items():
    np.save(os.path.join(sys.argv[1], name), np.asfortranarray(np.array([[1, 2j, 3 - 1j], [4, 5, 6]], dtype)))
`

// TestNumPyTypes checks that arrays go in and are expected as NumPy and ml_dtypes save them. Each program also compares
// the first element with 1, so that the plugin must have got the right numbers.
func TestNumPyTypes(t *testing.T) {
	r, folder := cpuRuntime(t), t.TempDir()
	if out, err := exec.Command(setuptest.Models(t).Interpreter, "-c", saveWithNumPy, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.npy"))
	if err != nil || len(files) != 13 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		element := strings.TrimSuffix(filepath.Base(file), ".npy")
		source := strings.ReplaceAll("func.func @main(%a: tensor<2x3xT>) -> (tensor<2x3xT>, tensor<i1>) {\n"+
			"  %0 = stablehlo.slice %a [0:1, 0:1] : (tensor<2x3xT>) -> tensor<1x1xT>\n"+
			"  %1 = stablehlo.reshape %0 : (tensor<1x1xT>) -> tensor<T>\n"+
			"  %2 = stablehlo.constant dense<ONE> : tensor<T>\n"+
			"  %3 = stablehlo.compare EQ, %1, %2 : (tensor<T>, tensor<T>) -> tensor<i1>\n"+
			"  return %a, %3 : tensor<2x3xT>, tensor<i1>\n}", "T", element)
		one := "1"
		if strings.HasPrefix(element, "f") {
			one = "1.0"
		} else if strings.HasPrefix(element, "c") {
			one = "(1.0, 0.0)"
		}
		source = strings.Replace(source, "ONE", one, 1)
		inv := invocation(t, r, write(t, source), nil, []string{file}, []string{file, "i1=1"})
		if mismatch, _, err := check(t, r, inv, 0); mismatch != "" || err != nil {
			t.Errorf("%s: %s %v", element, mismatch, err)
		}
	}
}

// TestNumPyTypesAreRefused checks files whose elements only look like those of the argument.
func TestNumPyTypesAreRefused(t *testing.T) {
	r := cpuRuntime(t)
	for _, c := range []struct {
		descr, data, declared, want string
	}{
		{"<c8", strings.Repeat("\x00", 32), "4x2xf32", "it holds complex numbers, and the type of the elements is f32"},
		{"<f1", "\x3c\x3c", "2xf8E4M3FN", "it holds float8_e5m2, and the type of the elements is f8E4M3FN"},
		{"<V1", "\x0d\x1d", "2xi4", "element 1 is out of range for i4"},
		{"|V1", "\x0d\xfd", "2xi4", ""},
		{"|i1", "\x0d\x01", "2xi4", "element 0 is out of range for i4"},
		{"<V4", "\x00\x00\x00\x00\x00\x00\x00\x00", "2xf32", `dtype "<V4" does not hold float32 elements`},
		{">c8", strings.Repeat("\x00", 16), "2xcomplex<f32>", "big-endian"},
	} {
		shape := map[string]string{"4x2xf32": "4"}[c.declared]
		if shape == "" {
			shape = "2"
		}
		header := "{'descr': '" + c.descr + "', 'fortran_order': False, 'shape': (" + shape + ",), }\n"
		path := filepath.Join(t.TempDir(), "x.npy")
		file := "\x93NUMPY\x01\x00" + string(rune(len(header))) + "\x00" + header + c.data
		if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		source := strings.ReplaceAll("func.func @main(%a: T) -> T {\n  return %a : T\n}", "T", "tensor<"+c.declared+">")
		inv := invocation(t, r, write(t, source), nil, []string{path}, nil)
		_, _, err := check(t, r, inv, 0)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, want %q in it", c.descr, c.declared, err, c.want)
		}
	}
}
