package dispatchmode

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/native"
	"zonemark/invocations"
)

func sample(name string) string { return filepath.Join("..", "testdata", name) }

func constant(v string) invocations.Contents {
	return invocations.Contents{Fill: invocations.FillConstant, Value: v}
}

// loadPlan loads the dispatches of the module at file with the plan at plan; empty: none.
func loadPlan(file, plan string, whole Whole) (*Program, error) {
	m, err := vmfb.Read(file)
	if err != nil {
		return nil, err
	}
	return Load(invocations.Artifact{Path: file, Built: plan}, file, m, whole)
}

// noRuntime is a Whole of a machine without IREE.
func noRuntime(*invocations.Invocation) ([]tensor.Tensor, string) { return nil, "no runtime is here" }

// dispatches loads the dispatches of a sample whose plan lies beside it.
func dispatches(t *testing.T, module, plan string, whole Whole) *Program {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the sample modules hold code for x86-64, which this test loads with Linux's loader")
	}
	if plan != "" {
		plan = sample(plan)
	}
	p, err := loadPlan(sample(module), plan, whole)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func floatsOf(x tensor.Tensor) (list []float64) {
	for data := x.Data; len(data) > 0; data = data[4:] {
		list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
	}
	return list
}

// TestDispatchesOfFunction calls the dispatches of mlp in the order of its plan and compares the result with the same
// computation in Go.
func TestDispatchesOfFunction(t *testing.T) {
	p := dispatches(t, "mlp.vmfb", "mlp.dispatches.json", noRuntime)
	inv := &invocations.Invocation{
		Function: "mlp_dispatch_1_matmul_64x128x512_f32",
		Measure:  invocations.Measure{Seed: 5},
	}
	b, err := p.bind(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	f, _ := p.module.Function("mlp")
	got, err := p.chain(b.variant.function, f, inv)
	if err != nil || len(got) != 1 || got[0].Type() != "64x128xf32" {
		t.Fatalf("%v, %v", got, err)
	}
	whole := &invocations.Invocation{
		Function:  "mlp",
		Measure:   inv.Measure,
		Arguments: functions.Describe(f, "").Arguments,
	}
	in, err := functions.Inputs(whole, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, w1, w2 := floatsOf(in[0]), floatsOf(in[1]), floatsOf(in[2])
	for i, v := range softmax(product(relu(product(x, w1, 64, 256, 512)), w2, 64, 512, 128), 128) {
		if g := floatsOf(got[0])[i]; math.Abs(g-v) > 1e-4*max(1e-3, v) {
			t.Fatalf("element %d: got %g, want %g", i, g, v)
		}
	}
}

func product(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				c[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return c
}

func relu(a []float64) []float64 {
	for i := range a {
		a[i] = max(0, a[i])
	}
	return a
}

func softmax(a []float64, n int) []float64 {
	for row := range slices.Chunk(a, n) {
		sum := 0.0
		top := slices.Max(row)
		for i := range row {
			row[i] = math.Exp(row[i] - top)
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
	return a
}

// TestDispatchCall measures nothing. It checks that the loop calls every workgroup of every set once an invocation.
func TestDispatchCall(t *testing.T) {
	p := dispatches(t, "mlp.vmfb", "mlp.dispatches.json", noRuntime)
	inv := &invocations.Invocation{Function: "mlp_dispatch_0_matmul_64x512x256_f32"}
	call, err := p.Prepare(inv, 2_000_000)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	if code(call).CallsPerInvocation < 2 || len(code(call).Frames) != 2*int(code(call).CallsPerInvocation) || call.SetBytes < 2_000_000 ||
		len(code(call).Lines) != 3 {
		t.Fatalf("%d frames for %d calls each, %d bytes, %d ranges",
			len(code(call).Frames), code(call).CallsPerInvocation, call.SetBytes, len(code(call).Lines))
	}
	loop, err := native.NewLoop(native.MonotonicClock(), code(call).Entry, code(call).Frames)
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	loop.Run(len(code(call).Frames), 1)
	if status, _ := loop.Returned(); int32(status) != 0 {
		t.Errorf("status %d", int32(status))
	}
	mismatch, err := call.Verify(func(string) {})
	if mismatch != "" || err != nil || len(call.Notes) != 1 ||
		!strings.Contains(call.Notes[0], "no runtime is here") {
		t.Errorf("%q, %v, notes %q", mismatch, err, call.Notes)
	}
}

// TestDispatchAgainstWhole compares a dispatch with calls of the whole function that are right, wrong, and impossible.
func TestDispatchAgainstWhole(t *testing.T) {
	for _, c := range []struct {
		wrong, refused string
		mismatch, note string
	}{
		{"", "", "", ""},
		{"wrong", "", "result 0: 1 of 4 elements differ; the first is element 2", ""},
		{"", "the device refuses", "", "not compared with those of the whole function: the device refuses"},
	} {
		p := dispatches(t, "tiny.vmfb", "tiny.dispatches.json", func(inv *invocations.Invocation) ([]tensor.Tensor, string) {
			list, err := functions.Inputs(inv, 0)
			if inv.Function != "tiny" || err != nil || len(list) != 2 {
				t.Fatalf("the whole function is %s of %d inputs, %v", inv.Function, len(list), err)
			}
			out := tensor.Tensor{Element: invocations.Float32, Shape: []int64{4}}
			a, b := floatsOf(list[0]), floatsOf(list[1])
			for i := range a {
				v := float32(a[i] * b[i])
				if i == 2 && c.wrong != "" {
					v++
				}
				out.Data = binary.LittleEndian.AppendUint32(out.Data, math.Float32bits(v))
			}
			return []tensor.Tensor{out}, c.refused
		})
		inv := &invocations.Invocation{
			Function: "tiny_dispatch_0_elementwise_4_f32",
			Measure:  invocations.Measure{Seed: 9},
		}
		call, err := p.Prepare(inv, 0)
		if err != nil {
			t.Fatal(err)
		}
		mismatch, err := call.Verify(func(string) {})
		notes := strings.Join(call.Notes, "; ")
		if err != nil || (c.mismatch == "") != (mismatch == "") || !strings.Contains(mismatch, c.mismatch) ||
			(c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("mismatch %q, want %q; notes %q, want %q; %v", mismatch, c.mismatch, notes, c.note, err)
		}
		call.Close()
	}
}

func TestDispatchExpected(t *testing.T) {
	p := dispatches(t, "mlp.vmfb", "mlp.dispatches.json", noRuntime)
	small := invocations.Argument{Contents: constant("0.01")} // equal inputs give equal probabilities
	for expected, want := range map[string]string{
		"64x128xf32=0.0078125": "",
		"64x128xf32=0":         "elements differ",
		"4xf32=0":              "got 64x128xf32, want 4xf32",
	} {
		inv := &invocations.Invocation{
			Function:  "mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store",
			Arguments: []invocations.Argument{small, small, small},
			Verify:    invocations.Verification{Expected: []string{expected}},
		}
		call, err := p.Prepare(inv, 0)
		if err != nil {
			t.Fatal(err)
		}
		if mismatch, err := call.Verify(func(string) {}); err != nil || (want == "") != (mismatch == "") ||
			!strings.Contains(mismatch, want) {
			t.Errorf("%s: %q, %v; want %q", expected, mismatch, err, want)
		}
		call.Close()
	}
}

// TestDispatchByParameters calls a dispatch that was not recorded, also one of the oldest interface that is supported.
func TestDispatchByParameters(t *testing.T) {
	for _, module := range []string{"tiny.vmfb", "tiny_flat.vmfb", "tiny_3.6.vmfb"} {
		p := dispatches(t, module, "", noRuntime)
		inv := &invocations.Invocation{
			Function:   "tiny_dispatch_0_elementwise_4_f32",
			Parameters: map[string]string{"workgroups": "1x1x1", "bindings": "16:16:16"},
		}
		call, err := p.Prepare(inv, 0)
		if err != nil {
			t.Errorf("%s: %v", module, err)
			continue
		}
		if len(code(call).Frames) != 1 || call.SetBytes != 48 {
			t.Errorf("%s: %d frames, %d bytes", module, len(code(call).Frames), call.SetBytes)
		}
		call.Close()
	}
}

func TestDispatchParametersRefused(t *testing.T) {
	p := dispatches(t, "dynamic.vmfb", "", noRuntime)
	for _, c := range []struct {
		function   string
		parameters map[string]string
		want       string
	}{
		{"other_dispatch_0_elementwise_4_i32", nil, "was not recorded"},
		{"other_dispatch_0_elementwise_4_i32", map[string]string{"workgroups": "1"}, "was not recorded"},
		{"other_dispatch_0_elementwise_4_i32",
			map[string]string{"workgroups": "1x1x1x1", "bindings": "16:16"}, "one to three numbers"},
		{"other_dispatch_0_elementwise_4_i32",
			map[string]string{"workgroups": "-1", "bindings": "16:16"}, "not an unsigned number"},
		{"other_dispatch_0_elementwise_4_i32",
			map[string]string{"workgroups": "1", "bindings": "16"}, "1 bindings are given and it takes 2"},
		{"other_dispatch_0_elementwise_4_i32",
			map[string]string{"workgroups": "1", "bindings": "16:99999999999999"}, "beyond any memory"},
		{"dyn_dispatch_0_elementwise_D_f32",
			map[string]string{"workgroups": "1", "bindings": "16:16"}, "0 constants are given and it takes 3"},
		{"other_dispatch_0_elementwise_4_i33", nil, `did you mean "other_dispatch_0_elementwise_4_i32"`},
	} {
		_, err := p.Prepare(&invocations.Invocation{Function: c.function, Parameters: c.parameters}, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.function, c.parameters, err, c.want)
		}
	}
}

func TestPlanOfAnotherModule(t *testing.T) {
	_, err := loadPlan(sample("tiny.vmfb"), sample("mlp.dispatches.json"), noRuntime)
	if err == nil || !strings.Contains(err.Error(), "another version of the module") {
		t.Errorf("%v", err)
	}
}

// code returns the workload of a call of native code.
func code(call *executor.Call) *executor.Native { return call.Work.(*executor.Native) }
