package stablehlo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func text(s Signature) string {
	list := func(values []Value) string {
		var all []string
		for _, v := range values {
			one := fmt.Sprintf("%s %v %s", v.Name, v.Type.Dimensions, v.Type.Element)
			if v.Donated {
				one += " donated"
			}
			all = append(all, one)
		}
		return strings.Join(all, ", ")
	}
	return list(s.Arguments) + " -> " + list(s.Results)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"func.func @main() { return }", " -> "},
		{"func.func @main() -> () { return }", " -> "},
		{"func.func public @main(%a: tensor<f32>) -> tensor<4x?xbf16> {", "%a [] f32 -> result 0 [4 -1] bf16"},
		{`module @m { func.func @"main"(%0: tensor<2 x 3 x i1>)->(tensor<2xcomplex<f64>>,tensor<0xui4>) {}}`,
			"%0 [2 3] i1 -> result 0 [2] complex<f64>, result 1 [0] ui4"},
		{"// func.func @main(%x: tensor<1xf32>)\nfunc.func @main(%y: tensor<2xf8E4M3FN>) {", "%y [2] f8E4M3FN -> "},
		{`#l = loc("func.func @main(")` +
			"\nfunc.func nested @other(%x: tensor<1xf32>) { return }\n" +
			"func.func @main(%y-1: tensor<2xf32> loc(\"a\"(\"b\":1:2)), %z: tensor<3xf32> {tf.aliasing_output = 0 : " +
			"i32} loc(#l)) -> (tensor<2xf32> {jax.result_info = \"\\\")\"})",
			"%y-1 [2] f32, %z [3] f32 donated -> result 0 [2] f32"},
		{"func.func @main(%a: tensor<4xf32, #stablehlo.bounds<4>> {jax.buffer_donor = true, x = {tf.aliasing_output " +
			"= 1}}, %t: !stablehlo.token) -> tuple<tensor<4xf32>, tensor<i32>>",
			"%a [4] f32 donated, %t []  -> result 0 [] "},
		{"func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) {", "%a [2] !quant.uniform<i8:f32,0.5:3> -> "},
		{"func.func private @main(tensor<2xf32>, tensor<i64>) -> tensor<i64>",
			"argument 0 [2] f32, argument 1 [] i64 -> result 0 [] i64"},
	} {
		s, err := Parse([]byte(c.program))
		if err != nil || text(s) != c.want {
			t.Errorf("%s:\n got %q, %v\nwant %q", c.program, text(s), err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for program, want := range map[string]string{
		"":                                     "there is no function @main",
		"func.func @mein() {}":                 "none of the 1 functions is @main",
		"func.func @main":                      "line 1, column 16: the end of the text: want (",
		"func.func main()":                     `column 11: "main": want the name of a function`,
		"func.func @main(%a)":                  `want :`,
		"func.func @main(%a: )":                `want a type`,
		"\nfunc.func @main(%a: tensor<4xf32)":  "line 2, column 34: the end of the text: want >",
		"func.func @main(%a: tensor<4xf32> %b": "want , or )",
		"func.func @main(%a: i32 {b = [}":      "line 1",
		"func.func @main(%a: i32 {b = ":        "want }",
		"func.func @main(%a: \"x\n":            "a string without its end",
		"\"abc\\":                              "a string without its end",
		"func.func @main() -> ":                "want a type",
		"func.func @main(%a: tensor<" + strings.Repeat("1x", 65) + "f32>)": "more than 64 dimensions",
	} {
		if s, err := Parse([]byte(program)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, error %v; want %q in it", program, text(s), err, want)
		}
	}
	for program, want := range map[string]error{
		"ML\xefR\x0dStableHLO": ErrBytecode,
		`"builtin.module"() ({ "func.func"() <{function_type = () -> (), sym_name = "main"}> ({}) : () -> () }) ` +
			`: () -> ()`: ErrGenericForm,
	} {
		if _, err := Parse([]byte(program)); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", program, err, want)
		}
	}
}

// TestParseFiles reads the programs of the runtime's tests.
func TestParseFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "*.mlir"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		program, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(program)
		if err != nil || len(s.Arguments) == 0 || len(s.Results) == 0 {
			t.Errorf("%s: %s, %v", path, text(s), err)
		}
		unknown := func(v Value) bool { return v.Type.Element == "" }
		if slices.ContainsFunc(s.Arguments, unknown) || slices.ContainsFunc(s.Results, unknown) {
			t.Errorf("%s: %s", path, text(s))
		}
	}
}

func TestBytecodeVersion(t *testing.T) {
	for program, want := range map[string]string{
		"ML\xefR\x0dStableHLO_v1.15.0\x00\x01": "[1 15 0] true",
		"ML\xefR\x0dMLIR23.0\x00":              "[0 0 0] false",
		"ML\xefR\x0dStableHLO_v1.15.0":         "[0 0 0] false",
		"ML\xefR\x0dStableHLO_v1.15\x00":       "[0 0 0] false",
		"ML\xefR\x0dStableHLO_v1.x.0\x00":      "[0 0 0] false",
		"StableHLO_v1.15.0\x00":                "[0 0 0] false",
	} {
		if version, known := BytecodeVersion([]byte(program)); fmt.Sprint(version, known) != want {
			t.Errorf("%q: %v, %v; want %s", program, version, known, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"func.func @main(%a: tensor<4x?xf32> {x = {y}}, %b: !token) -> (tensor<complex<f32>>, tuple<i1, i2>) {",
		`"func.func"() <{sym_name = "main"}>`,
		"module @m attributes {a = \"\\\"\"} { // c\n func.func private @f() -> tensor<i1> { }\n" +
			"func.func @\"main\"(%0: index loc(\"x\":1:2)) }",
		"ML\xefR\x0dStableHLO_v1.9.0\x00",
		"module attributes {mhlo.num_partitions = 4 : i32} { sdy.mesh @m = <[\"x\"=4]>\n func.func @main(%a: " +
			"tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> (tensor<8xf32> {mhlo.sharding = " +
			"\"{devices=[4]<=[4]}\"}) {",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if _, known := BytecodeVersion(program); known && !IsBytecode(program) {
			t.Error("a version of what is no bytecode")
		}
		s, err := Parse(program)
		if err != nil && err.Error() == "" {
			t.Error("an empty error")
		}
		if n := len(s.Arguments) + len(s.Results); n > len(program) {
			t.Errorf("%d values in %d bytes", n, len(program))
		}
		for _, v := range append(s.Arguments, s.Results...) {
			if len(v.Type.Dimensions) > maxRank || len(v.Type.Text) > 3*maxToken {
				t.Errorf("%d dimensions, %d bytes", len(v.Type.Dimensions), len(v.Type.Text))
			}
		}
	})
}
