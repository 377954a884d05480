package capi

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
)

// open loads the installed runtime.
func open(t testing.TB) *Library {
	t.Helper()
	path := setuptest.CAPI(t)
	if err := Supported(); err != nil {
		t.Skip(err)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// modulePath returns the path of a module of testdata, compiled for this processor.
func modulePath(module string) string {
	return filepath.Join("testdata", runtime.GOARCH, module+".vmfb")
}

func device(t testing.TB, o DeviceOptions) *Device {
	t.Helper()
	d, err := open(t).OpenDevice(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func load(t testing.TB, d *Device, module string, parameters ...ParameterFile) *Session {
	t.Helper()
	s, err := d.Load(modulePath(module), parameters)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func call(t testing.TB, s *Session, function string, inputs ...tensor.Tensor) *Call {
	t.Helper()
	c, err := s.Call(function, inputs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func floats(shape []int64, values ...float32) tensor.Tensor {
	t := tensor.Tensor{Element: invocations.Float32, Shape: shape}
	for i := range t.Elements() {
		t.Data = binary.NativeEndian.AppendUint32(t.Data, math.Float32bits(values[int(i)%len(values)]))
	}
	return t
}

func values(t testing.TB, r tensor.Tensor) []float32 {
	t.Helper()
	if r.Element != invocations.Float32 {
		t.Fatalf("the result is of %s", r.Element)
	}
	var v []float32
	for b := r.Data; len(b) >= 4; b = b[4:] {
		v = append(v, math.Float32frombits(binary.NativeEndian.Uint32(b)))
	}
	return v
}

func results(t testing.TB, c *Call) []tensor.Tensor {
	t.Helper()
	if err := c.Invoke(); err != nil {
		t.Fatal(err)
	}
	r, err := c.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// devices lists the devices that every test of results uses.
var devices = []DeviceOptions{
	{Driver: "local-sync"},
	{Driver: "local-task"},
	{Driver: "local-task", TaskThreads: 1},
	{Driver: "local-task", TaskThreads: 3},
}

func TestResults(t *testing.T) {
	for _, o := range devices {
		t.Run(o.Driver, func(t *testing.T) {
			d := device(t, o)
			tiny := load(t, d, "tiny")
			c := call(t, tiny, "tiny", floats([]int64{4}, 1, 2, 3, 4), floats([]int64{4}, 10, 20, 30, 40))
			for range 3 {
				r := results(t, c)
				if len(r) != 1 || r[0].Type() != "4xf32" || !slices.Equal(values(t, r[0]), []float32{10, 40, 90, 160}) {
					t.Fatalf("tiny gives %+v", r)
				}
			}
			mlp := load(t, d, "mlp")
			c = call(t, mlp, "module.mlp",
				floats([]int64{64, 256}, 0.01), floats([]int64{256, 512}, 0.01), floats([]int64{512, 128}, 0.01))
			r := results(t, c)
			if len(r) != 1 || !slices.Equal(r[0].Shape, []int64{64, 128}) {
				t.Fatalf("mlp gives %d results", len(r))
			}
			for i, v := range values(t, r[0]) {
				if v != 1.0/128 {
					t.Fatalf("mlp: element %d is %g, want %g", i, v, 1.0/128)
				}
			}
		})
	}
}

func TestScalars(t *testing.T) {
	s := load(t, device(t, DeviceOptions{Driver: "local-sync"}), "scalars")
	n := binary.NativeEndian
	in := []tensor.Tensor{
		{Element: invocations.Int32, Data: n.AppendUint32(nil, 41), Scalar: true},
		{Element: invocations.Int64, Data: n.AppendUint64(nil, 1<<40), Scalar: true},
		{Element: invocations.Float32, Data: n.AppendUint32(nil, math.Float32bits(3)), Scalar: true},
		{Element: invocations.Int32, Data: n.AppendUint32(nil, 7)},
	}
	want := []tensor.Tensor{
		{Element: invocations.Int32, Data: n.AppendUint32(nil, 42), Scalar: true},
		{Element: invocations.Int64, Data: n.AppendUint64(nil, 1<<41), Scalar: true},
		{Element: invocations.Float32, Data: n.AppendUint32(nil, math.Float32bits(1.5)), Scalar: true},
		{Element: invocations.Int32, Data: n.AppendUint32(nil, 7), Shape: []int64{}},
	}
	same(t, results(t, call(t, s, "mixed", in...)), want)
}

func TestElementTypes(t *testing.T) {
	s := load(t, device(t, DeviceOptions{Driver: "local-sync"}), "scalars")
	var in []tensor.Tensor
	for _, a := range []struct {
		element invocations.ElementType
		n       int64
	}{
		{invocations.Int8, 4},
		{invocations.Int16, 4},
		{invocations.Int64, 2},
		{invocations.Float64, 2},
		{invocations.Float16, 4},
		{invocations.BFloat16, 4},
		{invocations.Bool, 4},
	} {
		x := tensor.Tensor{Element: a.element, Shape: []int64{a.n}, Data: make([]byte, a.n*a.element.Size())}
		for i := range x.Data {
			x.Data[i] = byte(i & 1)
		}
		in = append(in, x)
	}
	same(t, results(t, call(t, s, "widths", in...)), in)
}

func same(t *testing.T, got, want []tensor.Tensor) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i := range want {
		g, w := got[i], want[i]
		if g.Element != w.Element || !slices.Equal(g.Shape, w.Shape) || string(g.Data) != string(w.Data) ||
			g.Scalar != w.Scalar {
			t.Errorf("result %d is %+v, want %+v", i, g, w)
		}
	}
}

func TestDynamicShapes(t *testing.T) {
	s := load(t, device(t, DeviceOptions{Driver: "local-sync"}), "scalars")
	for _, rows := range []int64{3, 1, 0} {
		r := results(t, call(t, s, "rows", floats([]int64{rows, 4}, 1, 2, 3, 4)))
		same(t, r, []tensor.Tensor{floats([]int64{rows, 4}, 2, 4, 6, 8)})
	}
}

func TestParameters(t *testing.T) {
	d := device(t, DeviceOptions{Driver: "local-sync"})
	path := filepath.Join("testdata", "weights.safetensors")
	if _, err := d.library.parameterFunctions(); err != nil {
		t.Skip(err) // a build without parameter files is valid
	}
	s := load(t, d, "weights", ParameterFile{Scope: "model", Path: path})
	same(t, results(t, call(t, s, "scale", floats([]int64{4}, 10))),
		[]tensor.Tensor{floats([]int64{4}, 10, 20, 30, 40)})
	module := modulePath("weights")
	for name, c := range map[string]struct {
		files []ParameterFile
		want  string
	}{
		"none":        {nil, "io_parameters"},
		"other scope": {[]ParameterFile{{Scope: "other", Path: path}}, "model"},
		"no file":     {[]ParameterFile{{Scope: "model", Path: "nowhere.irpa"}}, "nowhere.irpa"},
		"no format":   {[]ParameterFile{{Scope: "model", Path: "capi_test.go"}}, "capi_test.go"},
	} {
		if s, err := d.Load(module, c.files); err == nil {
			s.Close()
			t.Errorf("%s: loaded", name)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error %q does not say %q", name, err, c.want)
		} else {
			t.Log(err)
		}
	}
}

// A tensor with a dimension of 0 has no elements, whatever the others are.
func TestEmptyTensors(t *testing.T) {
	s := load(t, device(t, DeviceOptions{Driver: "local-sync"}), "scalars")
	r := results(t, call(t, s, "rows", floats([]int64{0, 4})))
	if len(r) != 1 || r[0].Type() != "0x4xf32" || len(r[0].Data) != 0 {
		t.Errorf("%+v", r)
	}
	_ = call(t, s, "rows", floats([]int64{2, 0, 4})) // its shape is refused when it is called
	wrong := tensor.Tensor{Element: invocations.Float32, Shape: []int64{2, 0, 4}, Data: make([]byte, 4)}
	if _, err := s.Call("rows", []tensor.Tensor{wrong}); err == nil {
		t.Error("data for no elements are accepted")
	}
}
