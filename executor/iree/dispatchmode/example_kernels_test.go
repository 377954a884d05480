package dispatchmode

import (
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// exampleFolder holds the modules that zonemark ships.
const exampleFolder = "../../../cmd/zonemark/example"

// TestExamplePlans checks that each shipped plan belongs to its module and names its dispatches.
func TestExamplePlans(t *testing.T) {
	for _, machine := range []string{"amd64", "arm64"} {
		module := filepath.Join(exampleFolder, "kernels_"+machine+".vmfb")
		hash, err := fileHash(module)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := matchingPlan(filepath.Join(exampleFolder, "kernels_"+machine+dispatchplan.Extension), hash)
		if err != nil {
			t.Fatal(err)
		}
		m, err := vmfb.Read(module)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Libraries) != 1 || m.Libraries[0].Machine != machine {
			t.Fatalf("%s: libraries %+v", machine, m.Libraries)
		}
		exports := m.Libraries[0].Dispatches
		for _, f := range plan.Functions {
			for _, d := range f.Dispatches {
				if d.Ordinal >= len(exports) || exports[d.Ordinal].Name != d.Name ||
					exports[d.Ordinal].Bindings != len(d.Bindings) {
					t.Errorf("%s: dispatch %+v of the plan is not in the library: %+v", machine, d, exports)
				}
			}
		}
		if len(plan.Functions) != 3 {
			t.Errorf("%s: %d functions", machine, len(plan.Functions))
		}
	}
}

// TestExampleKernels calls the dispatches of each shipped function in the order of the plan and compares the result
// with the same computation in Go.
func TestExampleKernels(t *testing.T) {
	if runtime.GOOS != "linux" || vmfb.Here != "amd64" && vmfb.Here != "arm64" {
		t.Skip("the shipped modules hold code for x86-64 and arm64, which Linux's loader takes")
	}
	p, err := loadPlan(
		filepath.Join(exampleFolder, "kernels_"+vmfb.Here+".vmfb"),
		filepath.Join(exampleFolder, "kernels_"+vmfb.Here+dispatchplan.Extension), noRuntime,
	)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const seed = 3
	for _, plan := range p.plan.Functions {
		f, _ := p.module.Function(plan.Name)
		inv := &invocations.Invocation{
			Function:  plan.Name,
			Arguments: functions.Describe(f, "").Arguments,
			Measure:   invocations.Measure{Seed: seed},
		}
		list, err := functions.Inputs(inv, 0)
		if err != nil {
			t.Fatal(err)
		}
		var in [][]float64
		for _, x := range list {
			in = append(in, floatsOf(x))
		}
		var want []float64
		switch plan.Name {
		case "matmul":
			want = product(in[0], in[1], 64, 64, 64)
		case "softmax":
			want = softmax(slices.Clone(in[0]), 256)
		case "perceptron":
			want = product(relu(product(in[0], in[1], 16, 64, 128)), in[2], 16, 128, 32)
		}
		compareChain(t, p, &plan, f, inv, want)
	}
}

// compareChain compares the only result of a function with numbers.
func compareChain(
	t *testing.T, p *Program, plan *dispatchplan.Function, f *vmfb.Function, inv *invocations.Invocation,
	want []float64,
) {
	t.Helper()
	got, err := p.chain(plan, f, inv)
	if err != nil || len(got) != 1 {
		t.Fatalf("%s: %v, %v", plan.Name, got, err)
	}
	values := floatsOf(got[0])
	if len(values) != len(want) {
		t.Fatalf("%s: %d elements, want %d", plan.Name, len(values), len(want))
	}
	for i, v := range want {
		if math.Abs(values[i]-v) > 1e-4*math.Abs(v) {
			t.Fatalf("%s: element %d is %g, want %g", plan.Name, i, values[i], v)
		}
	}
}
