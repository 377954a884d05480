package tt

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor/tt/stablehlo"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/testsize"
)

// splitWithJAX writes programs that JAX splits over four devices of the CPU, in each way that JAX writes shardings, with
// their inputs and with the results that JAX computes: NAME.mlir, NAME.in0.npy, NAME.out0.npy, …
const splitWithJAX = `
import os, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp, numpy as np
from jax import export
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

grid = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
row = Mesh(np.array(jax.devices()), ("x",))
on = lambda *axes, mesh=grid: NamedSharding(mesh, P(*axes))
layer = lambda a, w, b: (jnp.tanh(a @ w) + b, a.sum(), a.T)
local = lambda a, w: jax.lax.psum(a @ w, "y")
programs = {
    "layer": (jax.jit(layer, in_shardings=(on("x", "y"), on("y", None), on(("x", "y"))),
                      out_shardings=(on("x", None), on(), on("y", "x"))), [(8, 4), (4, 8), (8,)]),
    "swapped": (jax.jit(lambda a, b: (a * 2, a @ b), in_shardings=(on(("y", "x"), None), on(None, "x")),
                        out_shardings=(on(None, ("y", "x")), on("y", "x"))), [(12, 4), (4, 6)]),
    "some": (jax.jit(lambda a, b: a * 2 + b, in_shardings=(on("x"), None)), [(8, 3), (8, 3)]),
    "row": (jax.jit(lambda a, c: (a[::-1] + 1, c * 1j), in_shardings=on("x", mesh=row),
                    out_shardings=on("x", mesh=row)), [(8, 3), (4,)]),
    "cube": (jax.jit(lambda a: jnp.sort(a, axis=1), in_shardings=on(None, "x", "y"),
                     out_shardings=on("y", None, "x")), [(2, 4, 6)]),
    "manual": (jax.jit(shard_map(local, mesh=grid, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))),
               [(8, 4), (4, 8)]),
}
for shardy in (False, True):
    jax.config.update("jax_use_shardy_partitioner", shardy)
    for name, (function, shapes) in programs.items():
        rng = np.random.default_rng(7)
        inputs = [rng.standard_normal(s).astype(np.float32) for s in shapes]
        jax.clear_caches()
        texts = {"lowered": function.lower(*inputs).as_text(), "exported": export.export(function)(*inputs).mlir_module()}
        results = jax.tree.leaves(function(*inputs))
        for form, text in texts.items():
            base = os.path.join(sys.argv[1], f"{name}-{form}-{'shardy' if shardy else 'gspmd'}")
            open(base + ".mlir", "w").write(text)
            for kind, arrays in ("in", inputs), ("out", results):
                for i, array in enumerate(arrays):
                    array = np.asarray(array)
                    if array.dtype.kind == "c":
                        array = array.view(np.float32).reshape(array.shape + (2,))
                    np.save(f"{base}.{kind}{i}.npy", array)
`

// TestSPMDEqualsJAX checks that programs which JAX splits over four devices have the same results here, with buffers
// kept and pushed. It is in the large size; TestSPMD has programs of both kinds of shardings, and package stablehlo reads
// each kind.
func TestSPMDEqualsJAX(t *testing.T) {
	if !testsize.Large() {
		t.Skip("it imports JAX and splits 24 programs: the large size")
	}
	r, folder := cpuRuntime(t), t.TempDir()
	python := setuptest.Models(t).Interpreter
	if out, err := exec.Command(python, "-c", splitWithJAX, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	programs, err := filepath.Glob(filepath.Join(folder, "*.mlir"))
	if err != nil || len(programs) != 24 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	for _, path := range programs {
		base := strings.TrimSuffix(path, ".mlir")
		inputs, err := filepath.Glob(base + ".in*.npy")
		if err != nil || len(inputs) == 0 {
			t.Fatal(inputs, err)
		}
		results, err := filepath.Glob(base + ".out*.npy")
		if err != nil || len(results) == 0 {
			t.Fatal(results, err)
		}
		for _, transfers := range []string{"excluded", "included"} {
			inv := invocation(t, r, path, map[string]string{"transfers": transfers}, inputs, results)
			mismatch, notes, err := check(t, r, inv, 0)
			if mismatch != "" || err != nil {
				t.Errorf("%s: %s %v", filepath.Base(path), mismatch, err)
			}
			if !strings.Contains(strings.Join(notes, "\n"), "the program is split over 4 devices (SPMD") {
				t.Errorf("%s: notes %q", filepath.Base(path), notes)
			}
		}
	}
}

// TestSPMD checks what is told, what is refused, and that wrong results are found, without JAX.
func TestSPMD(t *testing.T) {
	r := cpuRuntime(t)
	for _, file := range []string{"split.mlir", "split_shardy.mlir"} {
		path := filepath.Join("testdata", file)
		inputs := []string{"8x4xf32=0", "4x8xf32=1", "8xf32=0 1 2 3 4 5 6 7"}
		rows := "8x8xf32=" + strings.Repeat("0 1 2 3 4 5 6 7 ", 8)
		inv := invocation(t, r, path, nil, inputs, []string{rows, "f32=0", "4x8xf32=0"})
		if mismatch, _, err := check(t, r, inv, 0); mismatch != "" || err != nil {
			t.Errorf("%s: %s %v", file, mismatch, err)
		}
		inv.Verify.Expected = []string{strings.Replace(rows, "7 0", "7 9", 1)}
		mismatch, _, err := check(t, r, inv, 0)
		if !strings.Contains(mismatch, "result 0 is not as expected: 1 of 64 elements differ; the first is element 8: got 0, want 9") ||
			err != nil {
			t.Errorf("%s: a wrong result is found as %q, %v", file, mismatch, err)
		}
		for chips, want := range map[string]string{"4": "", "0": "", "2": "num_partitions of the program is 4, and option chips is 2"} {
			inv := invocation(t, r, path, nil, inputs, nil)
			inv.Artifact.Options = map[string]string{"chips": chips}
			_, _, err := check(t, r, inv, 0)
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("chips %s: error %v, want %q in it", chips, err, want)
			}
		}
	}
}

// TestSPMDIsRefused checks that a program for several partitions is not compiled for one, if only a compiler can read it
// or if its shardings are not supported.
func TestSPMDIsRefused(t *testing.T) {
	const attributes = "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {\n"
	r := cpuRuntime(t)
	for program, want := range map[string]string{
		attributes + "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n}": "with both",
		strings.Replace(attributes, "as = 2", "as = 1", 1) + "func.func @main(%a: tensor<4xf32> {mhlo.sharding = " +
			"\"{maximal device=0}\"}) -> tensor<4xf32> { return %a : tensor<4xf32> }\n}": `%a: sharding {maximal device=0}`,
		`"builtin.module"() ({ "func.func"() : () -> ()}) {mhlo.num_partitions = 2 : i32} : () -> ()`: "mhlo.num_partitions is 2",
		"ML\xefR\x0dStableHLO mhlo.num_partitions mhlo.sharding {devices=[2,2]<=[4]}":                 "it has shardings ({devices=[)",
	} {
		_, err := r.Load(invocations.Artifact{Path: write(t, program), Options: map[string]string{"plugin": "cpu"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", program, err, want)
		}
	}
	five := strings.Replace(attributes, "partitions = 4", "partitions = 5", 1)
	five = strings.Replace(five, "replicas = 2", "replicas = 1", 1) +
		"func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n}"
	_, err := r.Load(invocations.Artifact{Path: filepath.Join("testdata", "split_opsharding.mlirbc")})
	if err == nil || !strings.Contains(err.Error(), "mhlo.num_partitions is 2: programs that are split") {
		t.Errorf("bytecode with a serialized OpSharding: error %v", err)
	}
	_, err = r.Load(invocations.Artifact{Path: write(t, five)})
	if err == nil || !strings.Contains(err.Error(), "mhlo.num_partitions of the program wants 5 devices, and the plugin has 4") {
		t.Errorf("error %v", err)
	}
}

// TestReplicas checks that a program for several replicas, as jax.pmap writes it, runs on as many devices.
func TestReplicas(t *testing.T) {
	r := cpuRuntime(t)
	const program = `module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func public @main(%a: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      %1 = stablehlo.add %b, %c : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<1x3xf32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
}`
	inv := invocation(t, r, write(t, program), nil, []string{npy(t, 0, 4, 3)}, []string{"1x3xf32=18 22 26"})
	mismatch, notes, err := check(t, r, inv, 0)
	if mismatch != "" || err != nil || !strings.Contains(strings.Join(notes, "\n"), "4 of 4 devices") {
		t.Errorf("%s %v, notes %q", mismatch, err, notes)
	}
	inv = invocation(t, r, filepath.Join("testdata", "replicas.mlirbc"), nil, []string{"4xf32=2"}, []string{"4xf32=4"})
	mismatch, notes, err = check(t, r, inv, 0)
	if mismatch != "" || err != nil || !strings.Contains(strings.Join(notes, "\n"), "4 of 4 devices") {
		t.Errorf("bytecode: %s %v, notes %q", mismatch, err, notes)
	}
}

// TestParts checks that arrays are taken apart and put together again, whatever their sharding.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		sharding stablehlo.Sharding
		shape    []int64
		first    []byte // the part of device 1
	}{
		{stablehlo.Sharding{Tiles: []int64{2, 1}, Parts: []int{0, 1}}, []int64{2, 3}, []byte{6, 7, 8, 9, 10, 11}},
		{stablehlo.Sharding{Tiles: []int64{1, 3}, Parts: []int{2, 1, 0}}, []int64{2, 3}, []byte{2, 3, 8, 9}},
		{stablehlo.Sharding{Tiles: []int64{2, 2}, Parts: []int{0, 2, 1, 3}}, []int64{2, 4},
			[]byte{8, 9, 10, 11}},
		{stablehlo.Sharding{Tiles: []int64{1, 2, 1}, Parts: []int{0, 1, 1, 0}}, []int64{2, 2, 2},
			[]byte{4, 5, 6, 7, 12, 13, 14, 15}},
		{stablehlo.Sharding{}, []int64{2}, []byte{0, 1, 2, 3}},
		{stablehlo.Sharding{Tiles: []int64{2}, Parts: []int{0, 1}}, []int64{2, 2}, []byte{4, 5, 6, 7}}, // of pairs
		{stablehlo.Sharding{Tiles: []int64{2, 1}, Parts: []int{0, 1}}, []int64{2, 0}, nil},
	} {
		size := int64(2)
		for _, n := range c.shape {
			size *= n
		}
		whole := tensor{element: element{storage: invocations.Int16}, shape: c.shape, data: make([]byte, size)}
		for i := range whole.data {
			whole.data[i] = byte(i)
		}
		copied := whole
		copied.data = make([]byte, size)
		for device := range max(2, len(c.sharding.Parts)) {
			part := whole.part(c.sharding, device)
			if device == 1 && !bytes.Equal(part.data, c.first) {
				t.Errorf("%+v of %v: % x, want % x", c.sharding, c.shape, part.data, c.first)
			}
			copied.place(c.sharding, device, part.data)
		}
		if difference := values.Compare(copied.data, whole.data, invocations.Int16, 0); difference != "" {
			t.Errorf("%+v of %v: %s", c.sharding, c.shape, difference)
		}
	}
}

// TestJoinChecksCopies checks that devices which hold the same part must agree on it.
func TestJoinChecksCopies(t *testing.T) {
	e := element{storage: invocations.Int8}
	p := &program{signature: signature{partitions: 2, results: []value{{element: e, known: true, dimensions: []int64{2}}}}}
	one := tensor{element: e, shape: []int64{2}, data: []byte{1, 2}}
	other := one
	other.data = []byte{1, 3}
	whole, mismatch := p.join([][]tensor{{one}, {one}}, 0)
	if mismatch != "" || !bytes.Equal(whole[0].data, one.data) {
		t.Errorf("%v, %s", whole, mismatch)
	}
	_, mismatch = p.join([][]tensor{{one}, {other}}, 0)
	if !strings.Contains(mismatch, "result 0: devices 0 and 1 hold the same part and differ: 1 of 2 elements") {
		t.Error(mismatch)
	}
}
