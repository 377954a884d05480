package iree

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

const (
	tinyModule = `func.func @tiny(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.mulf %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @nothing() { return }
`
	scalarsModule = `func.func @wide(%a: i32, %b: i64, %c: f32, %d: f64) -> (i32, i64, f32, f64) {
  %r = arith.addi %a, %a : i32
  %s = arith.addi %b, %b : i64
  %t = arith.addf %c, %c : f32
  %u = arith.addf %d, %d : f64
  return %r, %s, %t, %u : i32, i64, f32, f64
}
func.func @narrow(%a: i1, %b: i8, %c: i16, %d: f16, %e: bf16) -> (i1, i8, i16, f16, bf16) {
  return %a, %b, %c, %d, %e : i1, i8, i16, f16, bf16
}
`
	// The dispatches use every input: an unused one would come back as it went in.
	elementsModule = `func.func @ints(%a: tensor<4xi8>, %b: tensor<4xi16>, %c: tensor<4xi32>, %d: tensor<4xi64>) -> ` +
		`(tensor<4xi8>, tensor<4xi16>, tensor<4xi32>, tensor<4xi64>) {
  %r = arith.addi %a, %a : tensor<4xi8>
  %s = arith.addi %b, %b : tensor<4xi16>
  %t = arith.addi %c, %c : tensor<4xi32>
  %u = arith.addi %d, %d : tensor<4xi64>
  return %r, %s, %t, %u : tensor<4xi8>, tensor<4xi16>, tensor<4xi32>, tensor<4xi64>
}
func.func @floats(%a: tensor<2x2xf16>, %b: tensor<4xbf16>, %c: tensor<f32>, %d: tensor<4xf64>) -> ` +
		`(tensor<2x2xf16>, tensor<4xbf16>, tensor<f32>, tensor<4xf64>) {
  %r = arith.addf %a, %a : tensor<2x2xf16>
  %s = arith.addf %b, %b : tensor<4xbf16>
  %t = arith.addf %c, %c : tensor<f32>
  %u = arith.addf %d, %d : tensor<4xf64>
  return %r, %s, %t, %u : tensor<2x2xf16>, tensor<4xbf16>, tensor<f32>, tensor<4xf64>
}
func.func @bools(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %r = arith.andi %a, %b : tensor<4xi1>
  return %r : tensor<4xi1>
}
func.func @same(%a: tensor<4xui8>, %b: tensor<4xui64>) -> (tensor<4xui8>, tensor<4xui64>) {
  return %a, %b : tensor<4xui8>, tensor<4xui64>
}
`
	dynamicModule = `func.func @dynamic(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.addf %a, %a : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
`
	keepDoubles = "--iree-input-demote-f64-to-f32=false"
)

// of returns a tensor of numbers, written in the machine's byte order; a bool is a byte.
func of(element invocations.ElementType, shape []int64, numbers any) tensor.Tensor {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.NativeEndian, numbers); err != nil {
		panic(err)
	}
	return tensor.Tensor{Element: element, Shape: shape, Data: b.Bytes()}
}

func scalar(element invocations.ElementType, number any) tensor.Tensor {
	t := of(element, nil, number)
	t.Scalar = true
	return t
}

// openArtifact opens the module of an artifact that is one.
func openArtifact(p provider, a invocations.Artifact) (session, error) {
	return p.open(a.Path, a.Options)
}

// withSession opens a module and calls f with it.
func withSession(t *testing.T, in Installation, a invocations.Artifact, f func(s session) error) {
	t.Helper()
	onPython(t, func() error {
		s, err := openArtifact(pythonProvider{in}, a)
		if err != nil {
			return err
		}
		defer func() {
			if err := s.close(); err != nil {
				t.Error(err)
			}
		}()
		return f(s)
	})
}

func TestPythonResults(t *testing.T) {
	in := pythonInstallation(t)
	four := []int64{4}
	cases := []struct {
		module, function string
		inputs, want     []tensor.Tensor
	}{
		{tinyModule, "nothing", nil, nil},
		{tinyModule, "tiny", []tensor.Tensor{of(invocations.Float32, four, []float32{1, 2, 3, 4}),
			of(invocations.Float32, four, []float32{2, 2, -1, 0.5})},
			[]tensor.Tensor{of(invocations.Float32, four, []float32{2, 4, -3, 2})}},
		{scalarsModule, "wide",
			[]tensor.Tensor{scalar(invocations.Int32, int32(-5)), scalar(invocations.Int64, int64(1)<<40),
				scalar(invocations.Float32, float32(1.5)), scalar(invocations.Float64, math.Pi)},
			[]tensor.Tensor{scalar(invocations.Int32, int32(-10)), scalar(invocations.Int64, int64(1)<<41),
				scalar(invocations.Float32, float32(3)), scalar(invocations.Float64, 2*math.Pi)}},
		{scalarsModule, "wide",
			[]tensor.Tensor{scalar(invocations.Uint32, uint32(1<<31+3)), scalar(invocations.Uint64, uint64(1<<63+3)),
				scalar(invocations.Float32, float32(math.Inf(1))), scalar(invocations.Float64, math.Copysign(0, -1))},
			[]tensor.Tensor{scalar(invocations.Int32, int32(6)), scalar(invocations.Int64, int64(6)),
				scalar(invocations.Float32, float32(math.Inf(1))), scalar(invocations.Float64, math.Copysign(0, -1))}},
		{scalarsModule, "narrow",
			[]tensor.Tensor{scalar(invocations.Bool, true), scalar(invocations.Int8, int8(-3)),
				scalar(invocations.Int16, int16(-300)), scalar(invocations.Float16, uint16(0xbc00)),
				scalar(invocations.BFloat16, uint16(0xc049))},
			[]tensor.Tensor{scalar(invocations.Int32, int32(1)), scalar(invocations.Int32, int32(-3)),
				scalar(invocations.Int32, int32(-300)), scalar(invocations.Int32, uint32(0xbc00)),
				scalar(invocations.Int32, uint32(0xc049))}}, // functions.Outputs gives them the declared types
		{elementsModule, "ints",
			[]tensor.Tensor{of(invocations.Int8, four, []int8{1, -1, 127, 0}),
				of(invocations.Int16, four, []int16{1, -1, 300, 0}),
				of(invocations.Int32, four, []int32{1, -1, 1 << 20, 0}),
				of(invocations.Int64, four, []int64{1, -1, 1 << 40, 0})},
			[]tensor.Tensor{of(invocations.Int8, four, []int8{2, -2, -2, 0}),
				of(invocations.Int16, four, []int16{2, -2, 600, 0}),
				of(invocations.Int32, four, []int32{2, -2, 1 << 21, 0}),
				of(invocations.Int64, four, []int64{2, -2, 1 << 41, 0})}},
		{elementsModule, "floats",
			[]tensor.Tensor{of(invocations.Float16, []int64{2, 2}, []uint16{0x3c00, 0xc000, 0, 0x3800}),
				of(invocations.BFloat16, four, []uint16{0x3f80, 0xc000, 0, 0x3f00}),
				of(invocations.Float32, nil, float32(1.25)),
				of(invocations.Float64, four, []float64{1, -2, 0.1, 1e300})},
			[]tensor.Tensor{of(invocations.Float16, []int64{2, 2}, []uint16{0x4000, 0xc400, 0, 0x3c00}),
				of(invocations.BFloat16, four, []uint16{0x4000, 0xc080, 0, 0x3f80}),
				of(invocations.Float32, nil, float32(2.5)),
				of(invocations.Float64, four, []float64{2, -4, 0.2, 2e300})}},
		{elementsModule, "bools",
			[]tensor.Tensor{of(invocations.Bool, four, []bool{true, true, false, false}),
				of(invocations.Bool, four, []bool{true, false, true, false})},
			[]tensor.Tensor{of(invocations.Bool, four, []bool{true, false, false, false})}},
		{elementsModule, "same",
			[]tensor.Tensor{of(invocations.Uint8, four, []uint8{1, 2, 255, 0}),
				of(invocations.Uint64, four, []uint64{1, 2, math.MaxUint64, 0})},
			[]tensor.Tensor{of(invocations.Uint8, four, []uint8{1, 2, 255, 0}),
				of(invocations.Uint64, four, []uint64{1, 2, math.MaxUint64, 0})}},
		{dynamicModule, "dynamic",
			[]tensor.Tensor{of(invocations.Float32, []int64{2, 4}, []float32{1, 2, 3, 4, 5, 6, 7, 8})},
			[]tensor.Tensor{of(invocations.Float32, []int64{2, 4}, []float32{2, 4, 6, 8, 10, 12, 14, 16})}},
		{dynamicModule, "dynamic", []tensor.Tensor{of(invocations.Float32, []int64{1, 4}, []float32{1, 2, 3, 4})},
			[]tensor.Tensor{of(invocations.Float32, []int64{1, 4}, []float32{2, 4, 6, 8})}},
		{dynamicModule, "dynamic", []tensor.Tensor{of(invocations.Float32, []int64{0, 4}, []float32{})},
			[]tensor.Tensor{of(invocations.Float32, []int64{0, 4}, []float32{})}},
	}
	modules := map[string]string{}
	for _, c := range cases {
		if modules[c.module] == "" {
			modules[c.module] = compiled(t, in, c.module, keepDoubles)
		}
	}
	for _, options := range [][]string{nil, {"device", "local-task", "task-threads", "2"}, {"device", "local-task"}} {
		for _, c := range cases {
			t.Run(fmt.Sprint(options, c.function), func(t *testing.T) {
				withSession(t, in, artifact(modules[c.module], options...), func(s session) error {
					got, err := called(s, c.function, c.inputs...)
					if err != nil {
						return err
					}
					for i := range got { // a shape without dimensions has two spellings
						if len(got[i].Shape) == 0 {
							got[i].Shape = nil
						}
					}
					for i := range c.want {
						if c.want[i].Data == nil {
							c.want[i].Data = []byte{}
						}
					}
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("results (-want +got):\n%s", diff)
					}
					return nil
				})
			})
		}
	}
}

// Two modules of the same name, with two bound functions each, exist at the same time and are called in turn.
func TestPythonSessionsSideBySide(t *testing.T) {
	in := pythonInstallation(t)
	one := compiled(t, in, tinyModule, "")
	two := compiled(t, in, strings.Replace(tinyModule, "arith.mulf", "arith.addf", 1), "")
	four := []int64{4}
	withSession(t, in, artifact(one), func(first session) error {
		second, err := openArtifact(pythonProvider{in}, artifact(two))
		if err != nil {
			return err
		}
		var all []*bound
		for i := range 4 {
			s := []session{first, second}[i%2]
			b, err := s.bind("tiny", []tensor.Tensor{of(invocations.Float32, four, []float32{float32(i), 2, 3, 4}),
				of(invocations.Float32, four, []float32{10, 10, 10, 10})})
			if err != nil {
				return err
			}
			all = append(all, b)
		}
		for range 10 {
			for _, b := range all {
				if err := b.invoke(); err != nil {
					return err
				}
			}
		}
		for i, b := range all {
			out, err := b.outputs()
			if err != nil {
				return err
			}
			want := of(invocations.Float32, four, []float32{float32(i) * 10, 20, 30, 40})
			if i%2 == 1 {
				want = of(invocations.Float32, four, []float32{float32(i) + 10, 12, 13, 14})
			}
			if diff := cmp.Diff([]tensor.Tensor{want}, out); diff != "" {
				t.Errorf("bound function %d (-want +got):\n%s", i, diff)
			}
			b.close()
		}
		return second.close()
	})
}

func TestPythonCallsAllocateNothing(t *testing.T) {
	in := pythonInstallation(t)
	path := compiled(t, in, tinyModule, "")
	withSession(t, in, artifact(path), func(s session) error {
		b, err := s.bind("nothing", nil)
		if err != nil {
			return err
		}
		defer b.close()
		if n := testing.AllocsPerRun(1000, func() {
			if err := b.invoke(); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
		return nil
	})
}

func TestPythonErrors(t *testing.T) {
	in := pythonInstallation(t)
	dir := t.TempDir()
	whole := compiled(t, in, tinyModule, "")
	triple, format := "aarch64-linux-gnu", "embedded-elf-arm_64"
	if runtime.GOARCH == "arm64" {
		triple, format = "x86_64-linux-gnu", "embedded-elf-x86_64"
	}
	other := compiled(t, in, tinyModule, "--iree-llvmcpu-target-cpu=generic --iree-llvmcpu-target-triple="+triple)
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	four := of(invocations.Float32, []int64{4}, []float32{1, 2, 3, 4})
	five := of(invocations.Float32, []int64{5}, []float32{1, 2, 3, 4, 5})
	ints := of(invocations.Int32, []int64{4}, []int32{1, 2, 3, 4})
	short := four
	short.Data = short.Data[:15]
	for _, c := range []struct {
		name     string
		artifact invocations.Artifact
		function string
		inputs   []tensor.Tensor
		want     []string
	}{
		{"no file", artifact(filepath.Join(dir, "none.vmfb")), "", nil, []string{"none.vmfb", "No such file"}},
		{"empty", artifact(write("empty.vmfb", nil)), "", nil, []string{"not a module of IREE"}},
		{"text", artifact(write("text.vmfb", []byte("func.func @f() { return }\n"))), "",
			nil, []string{"not a module of IREE", "INVALID_ARGUMENT"}},
		{"cut off", artifact(write("cut.vmfb", content[:len(content)/2])), "", nil, []string{"INVALID_ARGUMENT"}},
		{"other bytecode",
			artifact(write("old.vmfb", bytes.Replace(content, []byte{0, 0, 17, 0}, []byte{0, 0, 15, 0}, 1))), "", nil,
			[]string{"runtime supports 17.0, module has 15.0",
				"compile the module with the compiler of the runtime that is installed, "}},
		{"other processor", artifact(other), "", nil, []string{format, "compile it for this one"}},
		{"no such device", artifact(whole, "device", "nonsense"), "",
			nil, []string{"nonsense", "local-sync, local-task"}},
		{"device of another machine", artifact(whole, "device", "hip"), "",
			nil, []string{"device hip cannot be had here: "}},
		{"threads of local-sync", artifact(whole, "task-threads", "2"), "",
			nil, []string{"task-threads=2", "local-task"}},
		{"no number of threads", artifact(whole, "device", "local-task", "task-threads", "-1"), "",
			nil, []string{"task-threads=-1", "from 1"}},
		{"no parameters", artifact(whole, "parameter-files", "model=/nowhere/w.irpa"), "",
			nil, []string{"w.irpa", "NOT_FOUND"}},
		{"parameters without a name", artifact(whole, "parameter-files", "model="), "", nil, []string{"names no file"}},
		{"no such function", artifact(whole), "tini", nil, []string{"tini", "no such function"}},
		{"too few", artifact(whole), "tiny", []tensor.Tensor{four}, []string{"expected 2 arguments but passed 1"}},
		{"too many", artifact(whole), "tiny",
			[]tensor.Tensor{four, four, four}, []string{"expected 2 arguments but passed 3"}},
		{"other shape", artifact(whole), "tiny",
			[]tensor.Tensor{four, five}, []string{"input1 shape dimension 0 mismatch; expected 4 but have 5"}},
		{"other type", artifact(whole), "tiny",
			[]tensor.Tensor{four, ints}, []string{"input1 element type mismatch; expected f32"}},
		{"too short", artifact(whole), "tiny",
			[]tensor.Tensor{four, short}, []string{"input 1: 15 bytes do not make a 4xf32"}},
		{"scalar for a tensor", artifact(whole), "tiny",
			[]tensor.Tensor{four, scalar(invocations.Float32, float32(1))}, []string{"FAILED_PRECONDITION"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPython(t, func() error {
				s, err := openArtifact(pythonProvider{in}, c.artifact)
				if err == nil && c.function != "" {
					_, err = called(s, c.function, c.inputs...)
				}
				if s != nil {
					defer s.close()
				}
				if err == nil && c.name == "device of another machine" {
					return nil // this machine has the device too
				}
				if err == nil {
					return fmt.Errorf("no error")
				}
				for _, want := range c.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error %q does not say %q", err, want)
					}
				}
				var unsupported *executor.UnsupportedError
				elsewhere := []string{"other processor", "device of another machine"}
				if skipped := errors.As(err, &unsupported); skipped != slices.Contains(elsewhere, c.name) {
					t.Errorf("skipped: %v: %v", skipped, err)
				}
				if strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "runtime/src") {
					t.Errorf("not one sentence: %q", err)
				}
				return nil
			})
		})
	}
}

// A module takes its weights from a file.
func TestPythonParameters(t *testing.T) {
	in := pythonInstallation(t)
	path := compiled(t, in, `util.global private @w = #flow.parameter.named<"model"::"w"> : tensor<4xf32>
func.func @scaled(%a: tensor<4xf32>) -> tensor<4xf32> {
  %w = util.global.load @w : tensor<4xf32>
  %r = arith.mulf %a, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}
`, "")
	// A safetensors file: the length of its header in 8 bytes, the header, the data.
	header := `{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}`
	w := of(invocations.Float32, []int64{4}, []float32{3, 0.5, -1, 2})
	content := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	weights := filepath.Join(t.TempDir(), "w.safetensors")
	if err := os.WriteFile(weights, append(content, w.Data...), 0o444); err != nil {
		t.Fatal(err)
	}
	withSession(t, in, artifact(path, optionParameterFiles, "model="+weights), func(s session) error {
		out, err := called(s, "scaled", of(invocations.Float32, []int64{4}, []float32{1, 2, 3, 4}))
		if err != nil {
			return err
		}
		want := []tensor.Tensor{of(invocations.Float32, []int64{4}, []float32{3, 1, -3, 8})}
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		return nil
	})
	onPython(t, func() error {
		if _, err := openArtifact(pythonProvider{in}, artifact(path)); err == nil ||
			!strings.Contains(remedy.Told(err, nil), "; file "+optionParameterFiles) {
			return fmt.Errorf("without the file: %v", err)
		}
		return nil
	})
}

// TestPythonWithoutNumpy loads the bindings as a launch does: those of the release that zonemark installs load without
// numpy, which takes longer than all else. Other releases get it.
func TestPythonWithoutNumpy(t *testing.T) {
	in := pythonInstallation(t)
	for _, c := range []struct{ releases, want string }{{"WITHOUT_NUMPY", "False"}, {"('0.',)", "True"}} {
		program := sessionSource + `
import warnings
WITHOUT_NUMPY = ` + c.releases + `
warnings.simplefilter("error")
load(json.dumps({"site": sys.argv[1], "tracy": False}), [])
print("numpy" in sys.modules, iree.HalDriver.query() != [], end="")
`
		out, err := exec.Command(in.Python, "-c", program, in.Site).CombinedOutput()
		if want := c.want + " True"; err != nil || string(out) != want {
			t.Errorf("releases %s: %q, want %q (%v)", c.releases, out, want, err)
		}
	}
}
