package pjrt

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// cpuPlugin is XLA's CPU plugin: that of $ZONEMARK_PJRT_CPU, or the one in the user's cache.
func cpuPlugin(t testing.TB) string {
	t.Helper()
	path := os.Getenv("ZONEMARK_PJRT_CPU")
	if path == "" {
		if cache, err := os.UserCacheDir(); err == nil {
			path = filepath.Join(cache, "zonemark", "runtimes", "pjrt-cpu-0.0.1", "xla_cpu_pjrt.so")
		}
	}
	if _, err := os.Stat(path); err != nil {
		const reason = "XLA's CPU plugin is not there: run \"zonemark setup pjrt-cpu\" or name it by ZONEMARK_PJRT_CPU"
		if os.Getenv("CI") == "true" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	return path
}

func cpuClient(t testing.TB) *Client {
	t.Helper()
	p, err := Open(cpuPlugin(t))
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
		x, err := e.NewExecution(arguments, true)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := x.Run(); err != nil {
				t.Fatal(err)
			}
		}
		for device := range replicas {
			for i, want := range []string{string(floats(11, 22, 33, 40+float32(device))), string(floats(10, 40, 90, 40*float32(device)))} {
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
		t.Log(e.Cost(), c.Plugin(), c.Plugin().Attributes())
		p, f, err := e.OptimizedProgram()
		t.Log(len(p), f, err)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := c.Compile([]byte(strings.Replace(add, "multiply", "multiplly", 1)), CompileOptions(1, nil))
	t.Log(err)
	_, err = c.Compile([]byte(add), CompileOptions(1, []Override{{"no_such_option", true}}))
	t.Log(err)
	e, err := c.Compile([]byte(add), CompileOptions(1, []Override{{"xla_cpu_enable_fast_math", true}}))
	t.Log(e, err)
	e, err = c.Compile([]byte(add), CompileOptions(1, []Override{{"xla_cpu_enable_fast_math", "seven"}}))
	t.Log(e, err)
	_ = unsafe.Sizeof(0)
}
