package iree

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

func TestDescribeDispatches(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the sample modules hold code for x86-64")
	}
	o := executor.DescribeOptions{Options: map[string]string{OptionProvider: ProviderDispatch}, Cache: t.TempDir()}
	list, err := Runtime{}.Describe(sample("mlp.vmfb"), o)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	d := list[0]
	if len(d.Functions) != 3 || !strings.HasSuffix(d.Artifact.Built, "mlp.dispatches.json") || len(d.Warnings) != 0 {
		t.Fatalf("%+v", d)
	}
	if f := d.Functions[1]; f.Name != "mlp_dispatch_1_matmul_64x128x512_f32" || len(f.Parameters) != 2 ||
		len(f.Arguments) != 3 || f.Parameters[0].Default != "" || f.Note != "" {
		t.Errorf("%+v", f)
	}
	list, err = Runtime{}.Describe(sample("dynamic.vmfb"), o)
	if err != nil || len(list[0].Functions) != 2 || list[0].Artifact.Built != "" ||
		!strings.Contains(list[0].Functions[0].Note, "was not recorded") || len(list[0].Warnings) != 1 {
		t.Errorf("without a plan: %+v, %v", list, err)
	}
}

// TestRecord records a module with IREE's tools and compares the plan with the one in testdata.
func TestRecord(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the module holds code for x86-64")
	}
	in := toolInstallation(t)
	folder := t.TempDir()
	data, err := os.ReadFile(sample("mlp.vmfb"))
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(folder, "mlp.vmfb")
	if err := os.WriteFile(module, data, 0o644); err != nil {
		t.Fatal(err)
	}
	o := executor.DescribeOptions{
		Options: map[string]string{OptionProvider: ProviderDispatch},
		Cache:   filepath.Join(folder, "cache"),
	}
	list, err := Runtime{Installation{Tools: in.Tools}}.Describe(module, o)
	if err != nil || len(list[0].Warnings) != 0 {
		t.Fatal(list, err)
	}
	got, err := os.ReadFile(list[0].Artifact.Built)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(sample("mlp.dispatches.json"))
	if err != nil {
		t.Fatal(err)
	}
	if g := strings.Replace(string(got), module, "mlp.vmfb", 1); g != string(want) {
		t.Errorf("recorded:\n%s", g)
	}
	before, err := os.Stat(list[0].Artifact.Built)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := (Runtime{}).Describe(module, o); err != nil || again[0].Artifact.Built != list[0].Artifact.Built {
		t.Errorf("the cached plan is not found without the tools: %+v, %v", again, err)
	}
	if after, err := os.Stat(list[0].Artifact.Built); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the plan was recorded twice")
	}
	moved := filepath.Join(folder, "moved.vmfb")
	if err := os.Rename(module, moved); err != nil {
		t.Fatal(err)
	}
	list, err = Runtime{Installation{Tools: in.Tools}}.Describe(moved, o)
	if err != nil || len(list[0].Warnings) != 0 {
		t.Fatal(list, err)
	}
	if file, err := moduleFile(list[0].Artifact); err != nil || file != moved {
		t.Errorf("the same module elsewhere: its plan is of %s, %v", file, err)
	}
}

// wholeProgram is a module whose dispatch reads weights in a file of parameters, a constant that is not in the code,
// and an input of open shape.
const wholeProgram = `util.global private @w = #flow.parameter.named<"model"::"w"> : tensor<8x4xf32>
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %w = util.global.load @w : tensor<8x4xf32>
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x8xf32>
  %c = arith.constant dense_resource<c> : tensor<512x4xf32>
  %b = tensor.extract_slice %c[0, 0] [%n, 4] [1, 1] : tensor<512x4xf32> to tensor<?x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%b : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
{-# dialect_resources: { builtin: { c: "0x04000000` + "CONSTANT" + `" } } #-}
`

// TestRecordWholeProgram: weights, constants and the types of given inputs belong to the recording, so that the
// dispatches compute what the function does. Without the inputs, the error asks for their shape, and without the
// weights for the file.
func TestRecordWholeProgram(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the module is compiled for x86-64")
	}
	in := compiler(t)
	in.Tools = toolInstallation(t).Tools
	folder, three := t.TempDir(), "00004040" // 3 in float32, as hexadecimal bytes
	source := strings.Replace(wholeProgram, "CONSTANT", strings.Repeat(three, 512*4), 1)
	path, weights := filepath.Join(folder, "m.mlir"), filepath.Join(folder, "w.safetensors")
	header := `{"w":{"dtype":"F32","shape":[8,4],"data_offsets":[0,128]}} ` // of 8n bytes
	header += strings.Repeat(" ", -len(header)&7)
	two := strings.Repeat("\x00\x00\x00\x40", 32)
	for file, text := range map[string]string{
		path: source, weights: string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + two,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	half := invocations.Contents{Fill: invocations.FillConstant, Value: "0.5"}
	given := invocations.Argument{Element: invocations.Float32, Shape: []int64{5, 8}, Contents: half}
	check := func(parameters string, inputs ...invocations.Argument) (string, error) {
		t.Helper()
		inv := invocations.Invocation{Arguments: inputs}
		inv.Artifact = invocations.Artifact{Path: path, Options: map[string]string{
			OptionProvider: ProviderDispatch, optionParameterFiles: parameters,
		}}
		InferInputs(&inv)
		r := Runtime{in}
		list, err := r.Describe(path, executor.DescribeOptions{Cache: filepath.Join(folder, "cache"), Options: inv.Artifact.Options})
		if err != nil {
			t.Fatal(err)
		}
		d := list[0]
		last := d.Functions[len(d.Functions)-1]
		inv.Artifact, inv.Function = d.Artifact, last.Name
		if inv.Arguments = last.Arguments; len(inputs) > 0 {
			inv.Arguments = slices.Clone(inputs)
		}
		inv.Verify.Expected = []string{"5x4xf32=11"}
		return mismatchOf(r, &inv)
	}
	if mismatch, err := check("model="+weights, given); mismatch != "" || err != nil {
		t.Errorf("%s, %v", mismatch, err)
	}
	_, err := check("model=" + weights)
	if text := remedy.Told(err, nil); !strings.Contains(text, "leaves its shape to the caller; shape 16x8xf32") {
		t.Errorf("without an input: %s", text)
	}
	_, err = check("", given)
	if text := remedy.Told(err, nil); !strings.Contains(text, "; file parameter-files its weights") {
		t.Errorf("without weights: %s", text)
	}
}

// TestRecordAgain describes a module twice from which nothing can be recorded, and expects the warning twice.
func TestRecordAgain(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the module holds code for x86-64")
	}
	o := executor.DescribeOptions{Options: map[string]string{OptionProvider: ProviderDispatch}, Cache: t.TempDir()}
	for range 2 {
		list, err := Runtime{Installation{Tools: t.TempDir(), Version: "3.13.0"}}.Describe(sample("tiny_3.6.vmfb"), o)
		if err != nil || len(list[0].Warnings) != 1 || !strings.Contains(list[0].Warnings[0], "15.0") ||
			!strings.Contains(list[0].Warnings[0], "17.0") {
			t.Fatal(list, err)
		}
	}
}
