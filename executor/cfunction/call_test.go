package cfunction

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/invocations"
)

func TestOffsetAndStrides(t *testing.T) {
	path := newLibrary(t, `void transpose(const float* a, float* b) {
	for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) b[100 + i + 20*j] = a[7 + 10*i - 2*j];
}`, function("transpose", "void",
		affine("a", "const float*", "input", Affine{[]int64{2, 3}, []int64{10, -2}, 7}),
		affine("b", "float*", "output", Affine{[]int64{2, 3}, []int64{1, 20}, 100})))
	call := prepare(t, load(t, path),
		&invocations.Invocation{Function: "transpose", Arguments: []invocations.Argument{input("a", "iota")}}, 0)
	if want := int64(128 + 576); call.SetBytes != want { // 18 and 142 floats, in whole lines
		t.Errorf("a set takes %d bytes, want %d", call.SetBytes, want)
	}
	run(t, call, 1)
	b := firstSet[float32](call, 128, 142)
	for i := range 2 {
		for j := range 3 {
			if got, want := b[100+i+20*j], float32(7+10*i-2*j); got != want {
				t.Errorf("b[%d][%d] is %v, want %v", i, j, got, want)
			}
		}
	}
}

const runtimeCode = `#include <stdint.h>
void before(int64_t M, int32_t N, const double* a, double* b)
{ for (int64_t i = 0; i < M*N; i++) b[i] = 2*a[i]; b[0] = M; b[1] = N; }
void after(const double* a, double* b, int64_t M, int32_t N) { before(M, N, a, b); }
void pointed(const int64_t* N, int8_t* a) { for (int64_t i = 0; i < *N; i++) a[i] = (int8_t)*N; }
`

func TestRuntimeArrays(t *testing.T) {
	m, n := element("M", "int64_t", "input"), element("N", "int32_t", "input")
	a, b := runtimeArray("a", "const double*", "input", "M * N"), runtimeArray("b", "double*", "output", "N*M")
	program := load(t,
		newLibrary(t, runtimeCode, function("before", "void", m, n, a, b), function("after", "void", a, b, m, n),
			function("pointed",
				"void", element("N", "int64_t*", "input"), runtimeArray("a", "int8_t*", "output", "N"))))
	for _, name := range []string{"before", "after"} {
		call := prepare(t, program,
			&invocations.Invocation{
				Function:   name,
				Parameters: map[string]string{"M": "5", "N": "7"},
				Arguments:  []invocations.Argument{input("a", "iota")},
			}, 0)
		run(t, call, 1)
		const size = 320 // of 35 float64 in whole lines
		got := firstSet[float64](call, size, 35)
		if call.SetBytes != 2*size || got[0] != 5 || got[1] != 7 || got[2] != 4 || got[34] != 68 {
			t.Errorf("%s: %d bytes, b = %v", name, call.SetBytes, got)
		}
	}
	call := prepare(t, program, &invocations.Invocation{Function: "pointed", Parameters: map[string]string{"N": "70"}},
		0)
	run(t, call, 1)
	if got := firstSet[int8](call, 64, 70); got[0] != 70 || got[69] != 70 {
		t.Errorf("size behind a pointer: %v", got)
	}
	call = prepare(t, program, &invocations.Invocation{Function: "before"}, 0)
	if call.SetBytes != 2*128*128*8 || !slices.Contains(call.Notes, "default sizes: M=128, N=128") {
		t.Errorf("default sizes: %d bytes, notes %q", call.SetBytes, call.Notes)
	}
}

// TestMixedArguments passes twelve arguments in integer and float registers and on the stack.
func TestMixedArguments(t *testing.T) {
	mixed, err := os.ReadFile(filepath.Join("testdata", "k.c"))
	if err != nil {
		t.Fatal(err)
	}
	path := newLibrary(t, string(mixed), function("k_mix", "void",
		affine("out", "float*", "output", row(11)), element("i0", "int32_t", "input"), element("d0", "double", "input"),
		element("f0", "float", "input"),
		element("i1", "int64_t", "input"), element("f1", "float", "input"), element("u0", "uint8_t", "input"),
		element("d1", "double", "input"),
		affine("in", "float*", "input", row(1)), element("s0", "int16_t", "input"), element("f2", "float", "input"),
		element("d2", "double", "input")),
		function("k_ret", "int32_t", element("a", "int32_t", "input")), function("k_zero", "void"))
	program := load(t, path)
	call := prepare(t, program,
		&invocations.Invocation{
			Function: "k_mix",
			Parameters: map[string]string{
				"i0": "-11",
				"d0": "2.25",
				"f0": "3.5",
				"i1": "12345",
				"f1": "4.5",
				"u0": "200",
				"d1": "5.5",
				"s0": "-3",
				"f2": "6.5",
				"d2": "8.5",
			},
			Arguments: []invocations.Argument{input("in", "7.5")},
		}, 0)
	run(t, call, 2)
	want := []float32{-11, 2.25, 3.5, 12345, 4.5, 200, 5.5, 7.5, -3, 6.5, 8.5}
	if got := firstSet[float32](call, 0, 11); !slices.Equal(got, want) {
		t.Errorf("the function received %v, want %v", got, want)
	}
	call = prepare(t, program, &invocations.Invocation{Function: "k_ret", Parameters: map[string]string{"a": "-21"}}, 0)
	if got := int32(run(t, call, 1).integer); got != -42 {
		t.Errorf("k_ret(-21) is %d", got)
	}
	call = prepare(t, program, &invocations.Invocation{Function: "k_zero"}, 1<<20)
	if run(t, call, 3); len(code(call).Frames) != 1 || call.SetBytes != 0 || code(call).Lines != nil {
		t.Errorf("function without arguments: %d frames, %d bytes", len(code(call).Frames), call.SetBytes)
	}
}

func TestTooManyArguments(t *testing.T) {
	var arguments []Parameter
	for range 100 {
		arguments = append(arguments, element("", "int64_t", "input"))
	}
	program := load(t, newLibrary(t, "void f(long a) {}\n", function("f", "void", arguments...)))
	_, err := program.Prepare(&invocations.Invocation{Function: "f"}, 0)
	if err == nil || !strings.Contains(err.Error(), "function f") {
		t.Errorf("error %v", err)
	}
}

const halfCode = `#include <stdint.h>
typedef uint16_t float16_t; typedef uint16_t bfloat16_t;
/* 0x80 is one in the exponent */
void doubled(const bfloat16_t* a, bfloat16_t* b) { for (int i = 0; i < 8; i++) b[i] = a[i] + 0x80; }
void keep(float16_t x, float16_t* y) { *y = x; }
`

func TestSixteenBitFloats(t *testing.T) {
	program := load(t, newLibrary(t, halfCode,
		function("doubled",
			"void", affine("a", "const bfloat16_t*", "input", row(8)), affine("b", "bfloat16_t*", "output", row(8))),
		function("keep", "void", element("x", "float16_t", "input"), element("y", "float16_t*", "output"))))
	call := prepare(t, program,
		&invocations.Invocation{Function: "doubled", Arguments: []invocations.Argument{input("a", "1.5")}}, 0)
	run(t, call, 1)
	for i, bits := range firstSet[uint16](call, 64, 8) {
		if got := math.Float32frombits(uint32(bits) << 16); got != 3 {
			t.Errorf("b[%d] is %v, want 3", i, got)
		}
	}
	call = prepare(t, program, &invocations.Invocation{Function: "keep", Parameters: map[string]string{"x": "0.5"}}, 0)
	run(t, call, 1)
	if got := firstSet[uint16](call, 0, 1)[0]; got != 0x3800 {
		t.Errorf("a float16 of 0.5 arrived as %#x, want 0x3800", got)
	}
}

const calleeCode = `#include <stdint.h>
#include <stdlib.h>
static void make(int32_t n, int32_t* rows, float** out, float last)
{ *rows = 2*n; *out = malloc(2*n*sizeof(float)); for (int i = 0; i < 2*n; i++) (*out)[i] = i; (*out)[2*n-1] = last; }
void good(int32_t n, int32_t* rows, float** out) { make(n, rows, out, 9); }
void bad(int32_t n, int32_t* rows, float** out) { make(n, rows, out, 1); }
void shorter(int32_t n, int32_t* rows, float** out) { make(n, rows, out, 9); *rows = n; }
void nothing(int32_t n, int32_t* rows, float** out) { *rows = n; *out = NULL; }
`

func TestCalleeAllocates(t *testing.T) {
	arguments := []Parameter{element("n", "int32_t", "input"), element("rows", "int32_t*", "output"),
		runtimeArray("out", "float**", "output", "rows")}
	var functions []Function
	for _, name := range []string{"good", "bad", "shorter", "nothing"} {
		functions = append(functions, function(name, "void", arguments...))
	}
	program := load(t, newLibrary(t, calleeCode, functions...))
	call := prepare(t, program, &invocations.Invocation{Function: "good", Parameters: map[string]string{"n": "5"}}, 0)
	if code(call).MaxCallsPerBatch != 1 {
		t.Errorf("a batch may have %d calls, want 1", code(call).MaxCallsPerBatch)
	}
	slot := firstSet[uintptr](call, 64, 1)
	for range 3 {
		run(t, call, 1)
		if slot[0] == 0 {
			t.Fatal("no array was allocated")
		}
		if code(call).SettleOutputs(); slot[0] != 0 {
			t.Error("the slot was not cleared")
		}
	}
	for name, want := range map[string]string{
		"good":    "",
		"bad":     "argument 3 (out): 1 of 10 elements",
		"shorter": "argument 3 (out)",
		"nothing": "NULL",
	} {
		inv := &invocations.Invocation{
			Function:   name,
			Parameters: map[string]string{"n": "5"},
			Verify:     invocations.Verification{Reference: "good"},
		}
		mismatch, err := prepare(t, program, inv, 0).Verify(func(string) {})
		text := mismatch
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s: %q, want %q", name, text, want)
		}
	}
}

func TestColdSets(t *testing.T) {
	program := load(t, newLibrary(t, "void f(float* a, float* b, int n) { b[0] += 1; }\n", function("f", "void",
		affine("a", "float*", "input", row(20)), affine("b", "float*", "input_output", row(3)),
		element("n", "int", "input"))))
	const set, sets = 128 + 64, 100
	inv := &invocations.Invocation{
		Function:  "f",
		Measure:   invocations.Measure{Seed: 5},
		Arguments: []invocations.Argument{input("b", "0")},
	}
	call := prepare(t, program, inv, set*sets-10)
	if len(code(call).Frames) != sets || call.SetBytes != set*sets || call.Reset != nil {
		t.Fatalf("%d frames of %d bytes together", len(code(call).Frames), call.SetBytes)
	}
	if base := code(call).Lines[0].Addr; base%lineBytes != 0 || code(call).Lines[0].Len != set {
		t.Errorf("lines %+v", code(call).Lines[0])
	}
	lines := code(call).Lines[0]
	all := unsafe.Slice((*float32)(*(*unsafe.Pointer)(unsafe.Pointer(&lines.Addr))), set*sets/4)
	contents := map[float32]bool{}
	for k := range sets {
		a := all[k*set/4:][:20]
		for _, x := range a {
			if !(x >= 0 && x < 1) {
				t.Fatalf("set %d holds %v", k, x)
			}
		}
		contents[a[0]] = true
	}
	if len(contents) < sets/2 {
		t.Errorf("only %d of %d sets start differently", len(contents), sets)
	}
	run(t, call, sets)
	for k := range sets {
		if b := all[k*set/4+32]; b != 1 {
			t.Errorf("set %d was visited %v times in one round", k, b)
		}
	}
	again := prepare(t, program, inv, set*sets-10)
	inOrder := prepare(t, program, &invocations.Invocation{Function: "f", Measure: invocations.Measure{Seed: 6}},
		set*sets-10)
	order := func(c *executor.Call) []int { return visits(t, c, set/4, 32) }
	a, b, c := order(call), order(again), order(inOrder)
	if !slices.Equal(a, b) || slices.Equal(a, c) || slices.IsSorted(a) || a[0] != 0 {
		t.Errorf("order of visits: %v, again %v, other seed %v", a, b, c)
	}
}

// visits finds the order of the sets by calling once and looking for the set that changed.
func visits(t *testing.T, call *executor.Call, stride, at int) []int {
	t.Helper()
	loop, err := native.NewLoop(native.MonotonicClock(), code(call).Entry, code(call).Frames)
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	lines := code(call).Lines[0]
	all := unsafe.Slice((*float32)(*(*unsafe.Pointer)(unsafe.Pointer(&lines.Addr))), stride*len(code(call).Frames))
	var order []int
	for range code(call).Frames {
		for k := range code(call).Frames {
			all[k*stride+at] = 0
		}
		loop.Run(1, 1)
		for k := range code(call).Frames {
			if all[k*stride+at] != 0 {
				order = append(order, k)
			}
		}
	}
	return order
}

func TestReset(t *testing.T) {
	program := load(t, newLibrary(t, "void f(float* c, float* o) { c[0] += 1; o[0] = 3; }\n", function("f", "void",
		affine("c", "float*", "input_output", row(4)), affine("o", "float*", "output", row(4)))))
	call := prepare(t, program,
		&invocations.Invocation{Function: "f", Arguments: []invocations.Argument{input("c", "iota")}}, 0)
	run(t, call, 10)
	c := firstSet[float32](call, 0, 4)
	if c[0] != 10 {
		t.Fatalf("after ten calls c is %v", c)
	}
	if call.Reset(); !slices.Equal(c, []float32{0, 1, 2, 3}) {
		t.Errorf("after Reset c is %v", c)
	}
}

func TestFileThroughLayout(t *testing.T) {
	folder := t.TempDir()
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	npy := "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header
	for i := range 6 {
		npy += string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(i+1))))
	}
	path := write(t, folder, "a.npy", npy)
	program := load(t,
		newLibrary(t, "void f(float* a) {}\n",
			function("f",
				"void", affine("a", "float*", "input", Affine{[]int64{2, 3}, []int64{1, 4}, 2}))))
	call := prepare(t, program,
		&invocations.Invocation{Function: "f", Arguments: []invocations.Argument{input("a", path)}}, 0)
	want := []float32{0, 0, 1, 4, 0, 0, 2, 5, 0, 0, 3, 6}
	if got := firstSet[float32](call, 0, 12); !slices.Equal(got, want) {
		t.Errorf("the buffer holds %v, want %v", got, want)
	}
}
