package pjrt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/race"
)

func cpuClient(t testing.TB) *Client {
	t.Helper()
	p, err := Open(setuptest.PJRTCPU(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

const add = `func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %a, %b : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}`

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestAddOnDevices(t *testing.T) {
	c := cpuClient(t)
	if len(c.Devices()) < 2 || c.Devices()[0].Kind != "cpu" {
		t.Fatalf("devices %v", c.Devices())
	}
	if name, _ := c.Platform(); name != "cpu" {
		t.Errorf("platform %q", name)
	}
	for _, replicas := range []int{1, 2} {
		e, err := c.Compile([]byte(add), CompileOptions(replicas, nil))
		if err != nil {
			t.Fatal(err)
		}
		shapes, err := e.Outputs()
		if err != nil || len(shapes) != 2 || shapes[0].String() != "4xf32" {
			t.Fatalf("results %v, %v", shapes, err)
		}
		s := Shape{F32, []int64{4}}
		var arguments [][]Buffer
		for device := range replicas {
			var list []Buffer
			for _, data := range [][]byte{floats(1, 2, 3, float32(device)), floats(10, 20, 30, 40)} {
				u, err := c.NewUpload(data, s, c.Devices()[device])
				if err != nil {
					t.Fatal(err)
				}
				b, err := u.Push()
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, b)
			}
			arguments = append(arguments, list)
		}
		x, err := e.NewExecution(arguments, len(arguments[0]))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := x.Run(); err != nil {
				t.Fatal(err)
			}
		}
		for device := range replicas {
			for i, want := range []string{
				string(floats(11, 22, 33, 40+float32(device))),
				string(floats(10, 40, 90, 40*float32(device))),
			} {
				out := x.Output(device, i)
				n, err := c.HostBytes(out)
				if err != nil || n != 16 {
					t.Fatalf("%d bytes, %v", n, err)
				}
				got := make([]byte, n)
				d, err := c.NewDownload(got)
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Start(out); err != nil {
					t.Fatal(err)
				}
				if err := d.Wait(); err != nil {
					t.Fatal(err)
				}
				if string(got) != want {
					t.Errorf("device %d, result %d: % x, want % x", device, i, got, want)
				}
			}
		}
		if err := x.FreeOutputs(); err != nil {
			t.Error(err)
		}
		for _, list := range arguments {
			for _, b := range list {
				if err := c.Destroy(b); err != nil {
					t.Error(err)
				}
			}
		}
		if cost := e.Cost(); cost["flops"] != 8 || cost["bytes accessed"] <= 0 {
			t.Errorf("cost %v, want 8 FLOP", cost)
		}
		optimized, format, err := e.OptimizedProgram()
		if err != nil {
			t.Fatal(err)
		}
		sig, err := ProgramSignature(optimized, format)
		if got, want := fmt.Sprint(sig), "{[4xf32 4xf32] [4xf32 4xf32]}"; err != nil || got != want {
			t.Errorf("signature %s, %v; want %s", got, err, want)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCompileErrors checks that messages of the compiler reach the user, and that options reach the compiler.
func TestCompileErrors(t *testing.T) {
	c := cpuClient(t)
	for _, k := range []struct {
		program   string
		overrides []Override
		want      string
	}{
		{strings.Replace(add, "multiply", "multiplly", 1), nil, "'stablehlo.multiplly' is unknown"},
		{"", nil, "the program is empty"},
		{add, []Override{{"no_such_option", true}}, "INVALID_ARGUMENT: No such compile option: 'no_such_option'"},
		{add, []Override{{"xla_cpu_enable_fast_math", "seven"}}, "'seven' is not a valid bool value"},
		{add, []Override{{"xla_cpu_enable_fast_math", true}}, ""},
	} {
		e, err := c.Compile([]byte(k.program), CompileOptions(1, k.overrides))
		if (err == nil) != (k.want == "") || err != nil && !strings.Contains(err.Error(), k.want) {
			t.Errorf("%v: error %v, want %q in it", k.overrides, err, k.want)
		}
		if err == nil {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if c.Plugin().Attributes()["xla_version"] == nil {
		t.Errorf("attributes %v", c.Plugin().Attributes())
	}
}

// TestRunAllocates checks that a run allocates nothing, so that measuring with the collector off does not fill the
// memory.
func TestRunAllocates(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations are counted, and those of the race detector are among them")
	}
	c := cpuClient(t)
	e, err := c.Compile([]byte(add), CompileOptions(1, nil))
	if err != nil {
		t.Fatal(err)
	}
	s := Shape{F32, []int64{4}}
	var list []Buffer
	for range 2 {
		u, err := c.NewUpload(floats(1, 2, 3, 4), s, c.Devices()[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := u.Push()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	x, err := e.NewExecution([][]Buffer{list}, len(list))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := x.Run(); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations in a run", n)
	}
	if err := errors.Join(x.FreeOutputs(), x.FreeArguments(0), e.Close()); err != nil {
		t.Error(err)
	}
}
