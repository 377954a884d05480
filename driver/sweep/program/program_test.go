package program

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/sweep/operations"
	"zonemark/invocations/testsize"
)

// first returns the first configuration of an operation, smaller than the defaults.
func first(t testing.TB, opType operations.Type, overrides map[string][]float64) *operations.Configuration {
	t.Helper()
	o := operations.Operation{Type: opType, Name: "x", Overrides: map[string][]float64{"output_mb_r": {1},
		"output_ub_c": {1}}}
	for name, values := range overrides {
		o.Overrides[name] = values
	}
	s, err := o.Space()
	if err != nil {
		t.Fatal(err)
	}
	return &s.Configurations[0]
}

// Values of the block formats as the export of models rounds them, 16 in a block.
func TestRoundBlocks(t *testing.T) {
	in := []float64{-0.5, -2.5, -1.5, 1, -2.5, -0.5, 0.5, -1, 3, 3.5, -1, 3, 0, -4, -0.5, -2.5}
	for format, want := range map[operations.Format][]float64{
		operations.Bfp8:  in,
		operations.Bfp4:  {0, -2, -2, 1, -2, 0, 0, -1, 3, 4, -1, 3, 0, -4, 0, -2},
		operations.Bfp2B: {0, -4, 0, 0, -4, 0, 0, 0, 4, 4, 0, 4, 0, -4, 0, -4},
	} {
		got := slices.Clone(in)
		if roundBlocks(got, 16, format); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", format, got, want)
		}
	}
	narrow := []float64{1e6, 0x1p-20, -1}
	roundBlocks(narrow, 3, operations.Bfp8) // exponents of 5 bits end at 2^16
	if !slices.Equal(narrow, []float64{127 * 1024, 0, 0}) {
		t.Errorf("out of range: %v", narrow)
	}
}

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		element  string
		in, want float64
		bits     uint16
	}{
		{"f16", 1, 1, 0x3c00}, {"f16", -2.5, -2.5, 0xc100}, {"f16", 1 + 0x1p-11, 1, 0x3c00},
		{"f16", 1 + 3*0x1p-11, 1 + 0x1p-9, 0x3c02},
		{"f16", 65504, 65504, 0x7bff}, {"f16", 65520, math.Inf(1), 0x7c00}, {"f16", 0x1p-24, 0x1p-24, 1},
		{"f16", 0x1p-26, 0, 0},
		{"f16", 0x1.ff8p-15, 0x1.ff8p-15, 0x3ff}, {"bf16", 1 + 0x1p-8, 1, 0x3f80},
		{"bf16", 1 + 3*0x1p-8, 1 + 0x1p-6, 0x3f82},
		{"bf16", -3.14, -3.140625, 0xc049}, {"f32", 0.1, float64(float32(0.1)), 0},
	} {
		got := nearest(test.in, test.element)
		bits := halfBits(got)
		if test.element == "bf16" {
			bits = uint16(math.Float32bits(float32(got)) >> 16)
		}
		if got != test.want || test.element != "f32" && bits != test.bits {
			t.Errorf("%s of %v: %v, bits %#x; want %v, %#x", test.element, test.in, got, bits, test.want, test.bits)
		}
	}
}

// Every operation has a program with files in every format that it takes.
func TestBuildEverything(t *testing.T) {
	folder := t.TempDir()
	target := Target{Runtime: PJRT, Device: "cpu", Emulate: true}
	reals := []float64{1, 2, 3, 4, 5, 6, 7, 8, 12}
	formats := map[string][]float64{"input0_df": reals, "input1_df": reals, "output_df": reals, "math_fidelity": {1, 4}}
	if !testsize.Large() {
		formats["input1_df"] = []float64{2, 5, 12}
	}
	integers := map[string][]float64{"input0_df": {9, 10, 11}, "input1_df": {10, 11}, "output_df": {9, 10, 11},
		"math_fidelity": {4}}
	build := func(name string, opType operations.Type, own map[string][]float64, lists ...map[string][]float64) {
		o := operations.Operation{Type: opType, Name: name, Overrides: map[string][]float64{
			"output_mb_r": {1}, "output_mb_c": {1}, "output_ub_r": {1}, "output_ub_c": {1}, "input0_mb_c": {1},
		}}
		if !strings.Contains(name, "splice") {
			delete(o.Overrides, "input0_mb_c")
		} else {
			delete(o.Overrides, "output_mb_c")
		}
		variables, err := operations.Variables(opType)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range append(lists, own) { // the operation's own lists come last
			for key, values := range list {
				if slices.ContainsFunc(variables, func(v operations.Variable) bool { return v.Name == key }) {
					o.Overrides[key] = values
				}
			}
		}
		s, err := o.Space()
		if err != nil {
			t.Error(err)
			return
		}
		for i := range s.Configurations {
			c := &s.Configurations[i]
			p, err := target.Build(c, folder)
			if err != nil {
				t.Errorf("%s %s: %v", name, c.Text("input0_df"), err)
				continue
			}
			checkFiles(t, p)
		}
	}
	for unary := 1; unary <= 16; unary++ {
		build(fmt.Sprintf("unary%d", unary), operations.Unary, map[string][]float64{"unary_type": {float64(unary)}},
			formats)
	}
	build("nop_integers", operations.Unary, nil, integers)
	build("vector", operations.Unary, map[string][]float64{"unary_type": {1, 16}, "vector_mode": {2, 3}})
	build("binary", operations.Binary, map[string][]float64{"binary_type": {1, 2, 3, 4}}, formats)
	build("quant", operations.Quant, map[string][]float64{"quant_type": {1, 2, 3}, "zero_point": {-1.5}})
	build("reduce", operations.Reduce, map[string][]float64{"reduce_type": {1, 2}, "reduce_dim": {1, 2}}, formats)
	build("reduce_z", operations.Reduce, map[string][]float64{"reduce_dim": {3}, "z": {3}})
	build("splice", operations.Splice, nil)
	for _, accumulation := range []float64{0, 1} {
		l1 := map[string][]float64{"mb_inner": {2}, "ub_inner": {1}, "l1_acc": {accumulation},
			"input1_df": {2, 3, 4, 12}, "output_df": {1, 2, 4, 6}}
		build(fmt.Sprintf("matmul%v", accumulation), operations.Matmul, l1, formats)
	}
	build("matmul_integers", operations.Matmul, map[string][]float64{"input0_df": {11}, "input1_df": {11},
		"output_df": {10}, "mb_inner": {2}, "ub_inner": {1}})
	build("depthwise", operations.Depthwise, map[string][]float64{"mb_inner": {3}}, formats)
	build("sparse", operations.MatmulSparse, map[string][]float64{"mb_inner": {3}, "ub_inner": {1}, "output_t": {2}},
		formats)
}

func checkFiles(t *testing.T, p *Program) {
	t.Helper()
	v := &p.Invocation
	paths := []string{v.Artifact.Path}
	for _, text := range v.Verify.Expected {
		paths = append(paths, strings.TrimPrefix(text, "@"))
	}
	for _, a := range v.Arguments {
		paths = append(paths, a.Path)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if v.FLOP < 0 || v.Bytes <= 0 || v.Verify.Tolerance <= 0 || v.Function != "main" {
		t.Errorf("%s: %v FLOP, %v bytes, tolerance %v", v.Name, v.FLOP, v.Bytes, v.Verify.Tolerance)
	}
}

func TestPrograms(t *testing.T) {
	for _, test := range []struct {
		opType    operations.Type
		overrides map[string][]float64
		parts     []string
	}{
		{operations.Unary, map[string][]float64{"unary_type": {1}}, []string{
			"%0: tensor<1x64x64xbf16>", "stablehlo.convert %0", "stablehlo.exponential %1 : tensor<1x64x64xf32>"}},
		{operations.Matmul, map[string][]float64{"mb_inner": {4}, "ub_inner": {2}}, []string{
			"stablehlo.while", "sizes = [1, 64, 64]", "stablehlo.dot_general", "tensor<1x64x256xbf16>"}},
		{operations.MatmulSparse, nil, []string{"stablehlo.dynamic_update_slice", "tensor<20x32x32xbf16>"}},
		{operations.Quant, nil, []string{"stablehlo.round_nearest_even", "stablehlo.clamp"}},
	} {
		d, err := define(first(t, test.opType, test.overrides))
		if err != nil {
			t.Fatal(err)
		}
		text := d.program()
		for _, part := range test.parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", test.opType, part, text)
			}
		}
	}
}

func TestTargets(t *testing.T) {
	folder := t.TempDir()
	block := map[string][]float64{"input0_df": {4}, "output_df": {4}, "math_fidelity": {1}, "approximate_mode": {1}}
	c := first(t, operations.Unary, block)
	cpu := Target{Runtime: PJRT, Device: "cpu"}
	var refused *Refusal
	if _, err := cpu.Build(c, folder); !errors.As(err, &refused) || refused.Variable != "input0_df" {
		t.Errorf("Bfp8_b on a CPU: %v", err)
	}
	cpu.Emulate = true
	p, err := cpu.Build(c, folder)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(p.NotApplied); !strings.Contains(text, "math_fidelity: cpu multiplies") ||
		!strings.Contains(text, "approximate_mode") {
		t.Errorf("not applied: %s", text)
	}
	device := Target{Runtime: PJRT, Device: "tt", Tenstorrent: true,
		Options: map[string]string{"compile-options": "a=1"}}
	p, err = device.Build(c, folder)
	if err != nil {
		t.Fatal(err)
	}
	got := p.Invocation.Artifact.Options["compile-options"]
	if got != "a=1 enable_bfp8_conversion=true math_fidelity=lofi" {
		t.Errorf("options %q", got)
	}
	if device.Options["compile-options"] != "a=1" || p.Bytes["input0"] != 64*64*2 {
		t.Errorf("options of the target %v, bytes %v", device.Options, p.Bytes)
	}
	block["input0_df"], block["output_df"] = []float64{6}, []float64{6}
	if _, err := device.Build(first(t, operations.Unary, block), folder); !errors.As(err, &refused) {
		t.Errorf("Bfp4_b on Tenstorrent's: %v", err)
	}
}

// Configurations of one shape share a program and its files, and what is there stays as it is.
func TestSharedPrograms(t *testing.T) {
	folder := t.TempDir()
	o := operations.Operation{Type: operations.Unary, Name: "x", Overrides: map[string][]float64{
		"output_mb_r": {1, 2}, "output_ub_r": {1, 2}, "output_ub_c": {1},
	}}
	s, err := o.Space()
	if err != nil {
		t.Fatal(err)
	}
	target := Target{Runtime: IREE, Device: "cpu"}
	names := map[string]string{}
	for i := range s.Configurations {
		c := &s.Configurations[i]
		p, err := target.Build(c, folder)
		if err != nil {
			t.Fatal(err)
		}
		rows := fmt.Sprint(c.Block("output").Rows())
		if before := names[rows]; before != "" && before != p.Invocation.Artifact.Path {
			t.Errorf("%s rows have two programs", rows)
		}
		names[rows] = p.Invocation.Artifact.Path
	}
	if len(names) != 3 || filepath.Ext(names["64"]) != ".mlir" {
		t.Errorf("programs %v", names)
	}
	expected := strings.TrimSuffix(names["64"], ".mlir") + expectedFile
	before, err := os.Stat(expected)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.Build(&s.Configurations[0], folder); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(expected); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the expected result was made again: %v", err)
	}
	other := t.TempDir()
	if _, err := target.Build(&s.Configurations[1], other); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries { // the contents follow from the configuration alone
		a, errA := os.ReadFile(filepath.Join(other, e.Name()))
		b, errB := os.ReadFile(filepath.Join(folder, e.Name()))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is not the same in another folder", e.Name())
		}
	}
}
