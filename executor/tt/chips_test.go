package tt

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// npy writes an array of float32 that counts up from first and returns its path.
func npy(t *testing.T, first float32, shape ...int) string {
	t.Helper()
	n, dims := 1, ""
	for _, d := range shape {
		n *= d
		dims += fmt.Sprintf("%d,", d)
	}
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", dims)
	header += strings.Repeat(" ", 64-(10+len(header)+1)%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	b = append(b, header...)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(first+float32(i)))
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInputsAreSplit checks that each of several devices has inputs of its own: its part of a file, or random ones. Its
// results are compared with its part of the expected results.
func TestInputsAreSplit(t *testing.T) {
	r := cpuRuntime(t)
	const program = "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n" +
		"  %0 = stablehlo.add %a, %a : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}"
	path := write(t, program)
	for _, transfers := range []string{"excluded", "included"} {
		options := map[string]string{"chips": "4", "transfers": transfers}
		whole := npy(t, 0, 8, 3)
		inv := invocation(t, r, path, options, []string{whole}, nil)
		p, results := resultsOf(t, r, inv)
		for device, list := range results {
			for i := range 6 {
				if got, want := values.FloatAt(list[0].data[4*i:], "float32"), float64(2*(6*device+i)); got != want {
					t.Errorf("device %d, element %d: %g, want %g", device, i, got, want)
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		wrong := invocation(t, r, path, options, []string{whole}, []string{whole})
		mismatch, _, err := check(t, r, wrong, 0)
		const want = "results of 4 of 4 devices differ; device 0: result 0 is not as expected: 5 of 6 elements differ"
		if !strings.Contains(mismatch, want) || err != nil {
			t.Errorf("%s %v", mismatch, err)
		}
		for _, shape := range [][]int{{2, 3}, {8, 3}} { // each device gets the whole of the first
			zeros := invocation(t, r, write(t, strings.Replace(program, "add", "subtract", 1)), options,
				[]string{npy(t, 5, shape...)}, []string{"2x3xf32=0"})
			if mismatch, _, err := check(t, r, zeros, 0); mismatch != "" || err != nil {
				t.Errorf("%v: %s %v", shape, mismatch, err)
			}
		}
		odd := invocation(t, r, path, options, []string{npy(t, 0, 6, 3)}, nil)
		if _, _, err := check(t, r, odd, 0); err == nil {
			t.Error("a file for three devices was given to four")
		}
		p, results = resultsOf(t, r, invocation(t, r, path, options, nil, nil))
		if string(results[0][0].data) == string(results[1][0].data) {
			t.Error("two devices have the same random inputs")
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// resultsOf runs an invocation once and returns the results of all devices.
func resultsOf(t *testing.T, r Runtime, inv *invocations.Invocation) (*program, [][]tensor) {
	t.Helper()
	loaded, err := r.Load(inv.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.(*program)
	set, _, err := p.prepareSet(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.invoke(); err != nil {
		t.Fatal(err)
	}
	if err := set.fetch(); err != nil {
		t.Fatal(err)
	}
	if err := set.execution.FreeOutputs(); err != nil {
		t.Error(err)
	}
	if err := set.execution.FreeArguments(0); err != nil {
		t.Error(err)
	}
	return p, set.results
}

const donating = `func.func @main(%a: tensor<256x256xf32> {tf.aliasing_output = 0 : i32}) -> tensor<256x256xf32> {
  %0 = stablehlo.add %a, %a : tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}`

// TestDonation checks inputs whose memory the program lets a result take over. They are kept between calls or pushed
// for each call, and every call computes the same.
func TestDonation(t *testing.T) {
	r := cpuRuntime(t)
	for _, attribute := range []string{"tf.aliasing_output = 0 : i32", "jax.buffer_donor = true"} {
		path := write(t, strings.Replace(donating, "tf.aliasing_output = 0 : i32", attribute, 1))
		for _, transfers := range []string{"excluded", "included"} {
			for _, chips := range []string{"1", "2"} {
				inv := invocation(t, r, path, map[string]string{"transfers": transfers, "chips": chips},
					[]string{"256x256xf32=1.5"}, []string{"256x256xf32=3"})
				p, call := prepared(t, r, inv)
				for i := range 3 { // each after the calls before it
					mismatch, err := call.Verify(func(string) {})
					if mismatch != "" || err != nil {
						t.Errorf("%s, transfers %s, %s devices, call %d: %s %v",
							attribute, transfers, chips, i, mismatch, err)
					}
					if err := once(t, call); err != nil {
						t.Error(err)
					}
				}
				call.Close()
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestDonationTakesMemory checks that the plugin takes the memory over if nothing forbids it. Otherwise TestDonation
// would prove nothing.
func TestDonationTakesMemory(t *testing.T) {
	r := cpuRuntime(t)
	c, err := r.client(options{plugin: PluginCPU})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.clients.release(c); err != nil {
			t.Error(err)
		}
	}()
	e, err := c.Compile([]byte(donating), pjrt.CompileOptions(1, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, keep := range []int{1, 0} {
		u, err := c.NewUpload(make([]byte, 4*256*256), pjrt.Shape{Element: pjrt.F32, Dimensions: []int64{256, 256}},
			c.Devices()[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := u.Push()
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.NewExecution([][]pjrt.Buffer{{b}}, keep)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Run(); err != nil {
			t.Fatal(err)
		}
		if err := x.Run(); (err == nil) != (keep == 1) {
			t.Errorf("keep %d: the second run on the same input: %v", keep, err)
		}
		if err := x.FreeOutputs(); err != nil {
			t.Error(err)
		}
		if err := x.FreeArguments(0); err != nil {
			t.Error(err)
		}
	}
}

// TestCompileOptionsFile checks that a file of compile options is used unchanged, and that it states the number of
// devices.
func TestCompileOptionsFile(t *testing.T) {
	r := cpuRuntime(t)
	file := filepath.Join(t.TempDir(), "options.pb")
	path := filepath.Join("testdata", "add.mlir")
	for _, c := range []struct {
		content []byte
		options map[string]string
		note    string
		fail    string
	}{
		{pjrt.CompileOptions(1, nil), nil, "1 of 4 devices", ""},
		{pjrt.CompileOptions(3, []pjrt.Override{{Name: "xla_cpu_enable_fast_math", Value: true}}), nil,
			"3 of 4 devices", ""},
		{pjrt.CompileOptions(2, nil), map[string]string{"chips": "2"}, "2 of 4 devices", ""},
		{pjrt.CompileOptions(2, nil), map[string]string{"chips": "1"}, "",
			"options.pb: it asks for 2 replicas, and option chips is 1"},
		{pjrt.CompileOptions(5, nil), nil, "", "the plugin has 4 devices"},
		{pjrt.CompileOptions(1, []pjrt.Override{{Name: "no_such_option", Value: true}}), nil, "",
			"No such compile option: 'no_such_option'"},
		{[]byte{0x1a, 4, 0x20, 1, 0x28, 2}, nil, "", "it asks for 2 partitions"},
		{[]byte("xla_cpu_enable_fast_math=true"), nil, "", "no serialized CompileOptionsProto"},
		{pjrt.CompileOptions(1, nil), map[string]string{"compile-options": "a=1"}, "", "are both given"},
	} {
		if err := os.WriteFile(file, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		options := map[string]string{"compile-options-file": file}
		for k, v := range c.options {
			options[k] = v
		}
		inv := invocation(t, r, path, nil, []string{"4xf32=1", "4xf32=2"}, []string{"4xf32=3"})
		inv.Artifact.Options = options
		mismatch, notes, err := check(t, r, inv, 0)
		if mismatch != "" || (err != nil) != (c.fail != "") || err != nil && !strings.Contains(err.Error(), c.fail) ||
			!strings.Contains(strings.Join(notes, "\n"), c.note) {
			t.Errorf("% x, %v: %s %v, notes %q", c.content, c.options, mismatch, err, notes)
		}
	}
	inv := invocation(t, r, path, nil, nil, nil)
	before := inv.Artifact.SHA256
	if err := os.WriteFile(file, pjrt.CompileOptions(1, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	ds, err := r.Describe(path, executor.DescribeOptions{Options: map[string]string{"compile-options-file": file}})
	if err != nil || ds[0].Artifact.SHA256 == before {
		t.Errorf("what the options say is not in the hash: %v", err)
	}
}
