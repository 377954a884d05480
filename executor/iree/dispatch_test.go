package iree

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/native"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// dispatches loads the dispatches of a sample whose plan lies beside it.
func dispatches(t *testing.T, module, plan string) *program {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the sample modules hold code for x86-64, which this test loads with Linux's loader")
	}
	a := invocations.Artifact{Path: sample(module), Options: map[string]string{OptionProvider: ProviderDispatch}}
	if plan != "" {
		a.Built = sample(plan)
	}
	loaded, err := Runtime{}.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.(*program)
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
	p := dispatches(t, "mlp.vmfb", "mlp.dispatches.json")
	inv := &invocations.Invocation{
		Function: "mlp_dispatch_1_matmul_64x128x512_f32",
		Measure:  invocations.Measure{Seed: 5},
	}
	b, err := p.session.(dispatcher).bindDispatch(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	d := b.(*boundDispatch)
	f, _ := p.module.Function("mlp")
	got, err := d.chain(d.variant.function, f, inv)
	if err != nil || len(got) != 1 || got[0].Type() != "64x128xf32" {
		t.Fatalf("%v, %v", got, err)
	}
	whole := &invocations.Invocation{
		Function:  "mlp",
		Measure:   inv.Measure,
		Arguments: describeFunction(f, "").Arguments,
	}
	in, err := inputs(whole, 0)
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
	p := dispatches(t, "mlp.vmfb", "mlp.dispatches.json")
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
		!strings.Contains(call.Notes[0], "no IREE runtime is installed") {
		t.Errorf("%q, %v, notes %q", mismatch, err, call.Notes)
	}
}

// wholeTiny is a runtime that knows only tiny: it multiplies, and adds an error to one element.
type wholeTiny struct {
	wrong   float32
	missed  error
	refuses error
	opened  int
}

func (w *wholeTiny) name() string       { return "whole" }
func (w *wholeTiny) missing() error     { return w.missed }
func (w *wholeTiny) lacks(string) error { return nil }

func (w *wholeTiny) open(invocations.Artifact) (session, error) {
	w.opened++
	return w, w.refuses
}

func (w *wholeTiny) tracyClient() *tracy.Client { return nil }
func (w *wholeTiny) close() error               { return nil }

func (w *wholeTiny) bind(_ string, inputs []tensor.Tensor) (bound, error) {
	out := tensor.Tensor{Element: invocations.Float32, Shape: []int64{4}}
	a, b := floatsOf(inputs[0]), floatsOf(inputs[1])
	for i := range a {
		v := float32(a[i] * b[i])
		if i == 2 {
			v += w.wrong
		}
		out.Data = binary.LittleEndian.AppendUint32(out.Data, math.Float32bits(v))
	}
	return &echoBound{session: &echoSession{}, inputs: []tensor.Tensor{out}}, nil
}

// TestDispatchAgainstWhole compares a dispatch with runs of the whole function that are right, wrong, and impossible.
func TestDispatchAgainstWhole(t *testing.T) {
	for _, c := range []struct {
		others         []provider
		mismatch, note string
	}{
		{[]provider{&wholeTiny{}}, "", ""},
		{[]provider{&wholeTiny{wrong: 1}}, "result 0: 1 of 4 elements differ; the first is element 2", ""},
		{[]provider{&wholeTiny{missed: errors.New("not here")}, &wholeTiny{}}, "", ""},
		{[]provider{&wholeTiny{refuses: errors.New("broken")}, &wholeTiny{wrong: 1}}, "1 of 4 elements differ", ""},
		{[]provider{&wholeTiny{refuses: errors.New("broken")}}, "", "whole function: whole: broken"},
	} {
		p := dispatches(t, "tiny.vmfb", "tiny.dispatches.json")
		p.others = c.others
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
	p := dispatches(t, "mlp.vmfb", "mlp.dispatches.json")
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
		p := dispatches(t, module, "")
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
	p := dispatches(t, "dynamic.vmfb", "")
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
	artifact := invocations.Artifact{Path: sample("mlp.vmfb"), Built: misplacedPlan(t)}
	_, err := newDispatchProvider(Installation{}).open(artifact)
	if err == nil || !strings.Contains(err.Error(), "another version of the module") {
		t.Errorf("%v", err)
	}
}

// misplacedPlan writes the plan of one module beside another module.
func misplacedPlan(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for from, to := range map[string]string{"tiny.dispatches.json": "mlp.dispatches.json", "mlp.vmfb": "tiny.vmfb"} {
		data, err := os.ReadFile(sample(from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, to), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "mlp.dispatches.json")
}

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
		!strings.Contains(list[0].Functions[0].Note, "--param workgroups") || len(list[0].Warnings) != 1 {
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

// code returns the workload of a call of native code.
func code(call *executor.Call) *executor.Native { return call.Work.(*executor.Native) }
