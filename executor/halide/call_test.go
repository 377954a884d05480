package halide

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/halide/metadata"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/environ"
	"zonemark/invocations/remedy"
)

// invocation returns one of a function with arguments in the spelling of the command line, "NAME=CONTENTS".
func invocation(t *testing.T, path, function string, arguments ...string) *invocations.Invocation {
	t.Helper()
	inv := &invocations.Invocation{Function: function, Artifact: invocations.Artifact{Path: path}}
	inv.Measure.CPU = -1
	for _, text := range arguments {
		name, contents, found := strings.Cut(text, "=")
		if !found {
			t.Fatalf("%q: no equals sign", text)
		}
		a, err := invocations.ParseArgument(contents)
		if err != nil {
			t.Fatal(err)
		}
		a.Name = name
		inv.Arguments = append(inv.Arguments, a)
	}
	return inv
}

// load opens the artifact of an invocation. The test closes it.
func load(t *testing.T, inv *invocations.Invocation) executor.Program {
	t.Helper()
	p, err := New(environ.Variables{}.Lookup).Load(inv.Artifact)
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

// prepare prepares an invocation. The test closes the call.
func prepare(t *testing.T, inv *invocations.Invocation, setBytes int64) *executor.Call {
	t.Helper()
	call, err := load(t, inv).Prepare(inv, setBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(call.Close)
	return call
}

// code returns the workload of a call of native code.
func code(call *executor.Call) *executor.Native { return call.Work.(*executor.Native) }

// callTimes makes calls as the timing loop does, and returns the failure that the call reports.
func callTimes(t *testing.T, call *executor.Call, n int) error {
	t.Helper()
	if f, ok := call.Work.(*executor.Function); ok {
		for range n {
			if err := f.Invoke(); err != nil {
				return err
			}
		}
		return nil
	}
	loop, err := native.NewLoop(native.MonotonicClock(), code(call).Entry, code(call).Frames)
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	loop.Run(n, 1)
	return code(call).Failed()
}

// verified compares the outputs of an invocation and returns the mismatch.
func verified(t *testing.T, inv *invocations.Invocation) string {
	t.Helper()
	call := prepare(t, inv, 0)
	mismatch, err := call.Verify(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return mismatch
}

// Values, sizes and contents reach the pipelines, and outputs are read back.
func TestOutputs(t *testing.T) {
	path := inC(t)
	picture := filepath.Join(t.TempDir(), "picture.png")
	writePicture(t, picture)
	for _, c := range []struct {
		name, function string
		parameters     map[string]string
		arguments      []string
		expected       []string
	}{
		{"each type of scalar", "kinds", map[string]string{"open": "7"}, nil,
			[]string{"f32=2.5", "8xui8=1 254 255 251 60 63 7 3"}},
		{"scalars of the user's choice", "kinds", map[string]string{"open": "9", "half": "-2", "small": "3"},
			[]string{"word=0", "long=1"}, []string{"f32=2.5", "8xui8=1 3 0 1 192 63 9 3"}},
		{"eight dimensions", "wide", nil, []string{"in=iota"}, []string{"2x2x2x2x2x2x2x3xi16=iota"}},
		{"sizes by a bounds query", "stencil", map[string]string{"out.extent": "6"}, []string{"in=iota"},
			[]string{"6xui8=1 2 3 4 5 6"}},
		{"a larger input than needed", "stencil", map[string]string{"out.extent": "3", "in.extent": "9"},
			[]string{"in=iota"}, []string{"3xui8=1 2 3"}},
		{"a shape of the user's choice", "clamped", nil, []string{"in=4xui8=5 6 7 8"},
			[]string{"8xui8=5 6 7 8 8 8 8 8"}},
		{"a shape by position", "clamped", nil, []string{"0=4xui8=5 6 7 8"}, []string{"8xui8=5 6 7 8 8 8 8 8"}},
		{"an image, channels innermost", "interleaved", nil, []string{"in=" + picture}, []string{"@" + picture}},
		{"elements one by one, channels innermost", "interleaved", nil,
			[]string{"in=3x1x2xui8=1 2 3 4 5 6"}, []string{"3x1x2xui8=1 2 3 4 5 6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inv := invocation(t, path, c.function, c.arguments...)
			inv.Parameters, inv.Verify.Expected = c.parameters, c.expected
			inv.SetOption(OptionTaskThreads, "3")
			if mismatch := verified(t, inv); mismatch != "" {
				t.Error(mismatch)
			}
		})
	}
}

// writePicture writes an image of 8 by 2 pixels, all of whose values differ.
func writePicture(t *testing.T, path string) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 8, 2))
	for y := range 2 {
		for x := range 8 {
			m.SetRGBA(x, y, color.RGBA{R: uint8(10*y + x), G: uint8(100 + 10*y + x), B: uint8(200 + 10*y + x), A: 255})
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

// A mismatch names the output and the element. The reference may be in another file.
func TestReference(t *testing.T) {
	path := inC(t)
	other := filepath.Join(t.TempDir(), "other.so")
	run(t, "cc", "-std=c11", "-shared", "-fPIC", "-o", other, "testdata/pipelines.c")
	for _, c := range []struct{ function, reference, want string }{
		{"interleaved", "interleaved", ""},
		{"interleaved", other + ":interleaved", ""},
		{"wrong", "interleaved", "out: 1 of 48 elements differ; the first is element 5: got "},
		{"wrong", other + ":interleaved", "out: 1 of 48 elements differ; the first is element 5: got "},
	} {
		inv := invocation(t, path, c.function)
		inv.Verify.Reference = c.reference
		if got := verified(t, inv); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s against %s: %q, want %q", c.function, c.reference, got, c.want)
		}
	}
}

// An expectation without values, or of another shape, is an error.
func TestExpectedErrors(t *testing.T) {
	path := inC(t)
	for expected, want := range map[string]string{
		"8xui8":     "the values are missing",
		"2x4xui8=1": "out is 8xui8; correct the type or the shape",
		"8xi8=1":    "out is 8xui8; correct the type or the shape",
	} {
		inv := invocation(t, path, "clamped", "in=4xui8=5 6 7 8")
		inv.Verify.Expected = []string{expected}
		if _, err := prepare(t, inv, 0).Verify(func(string) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", expected, err, want)
		}
	}
}

// What cannot be prepared says what is missing, and how to give it.
func TestRefused(t *testing.T) {
	path := inC(t)
	for _, c := range []struct {
		function   string
		parameters map[string]string
		arguments  []string
		reference  string
		want       string
	}{
		{"kinds", nil, nil, "", "open is not known: the pipeline has no estimates, and takes any value; call kinds open="},
		{"stencil", nil, nil, "", "out.extent is not known: the pipeline has no estimates, and takes any value; call " +
			"stencil out.extent=256"},
		{"clamped", map[string]string{"in.extent": "4x4"}, nil, "", `parameter in.extent: "4x4" has 2 extents, and ` +
			"the buffer 1 dimensions"},
		{"clamped", map[string]string{"in.extent": "0"}, nil, "", `"0" is no extent; want a number from 1 to ` +
			"2147483647"},
		{"clamped", map[string]string{"in.extent": "5"}, []string{"in=4xui8=1 2 3 4"}, "", "argument in: it is given " +
			"in two sizes"},
		{"clamped", map[string]string{"in.extend": "5"}, nil, "", `it has no parameter "in.extend"; did you mean`},
		{"clamped", nil, []string{"in=4xf32=1"}, "", "argument in is uint8, not float32; correct the input"},
		{"clamped", nil, []string{"in=2x2xui8=1"}, "", "argument in has 1 dimensions, and 2x2xui8 is given"},
		{"clamped", nil, []string{"on=4xui8=1"}, "", `it has no argument "on"`},
		{"vector", nil, nil, "", "argument out: its type is float32x4, which zonemark cannot fill"},
		{"refuses", nil, nil, "", "it does not say what sizes it needs: refuses returned error -2 (explicit bounds " +
			"too small): Bounds given for out in x do not cover required region"},
		{"silents", nil, nil, "", `has no pipeline "silents"; did you mean`},
		{"third", nil, nil, "second", `reference of third: ` + path + ` has no pipeline "second"`},
		{"third", nil, nil, "none.so:third", "none.so: no such file or directory"},
		{"third", nil, nil, "wide", "third takes uint8[0+8], and wide takes int16[-1+3, "},
	} {
		inv := invocation(t, path, c.function, c.arguments...)
		inv.Parameters, inv.Verify.Reference = c.parameters, c.reference
		call, err := load(t, inv).Prepare(inv, 0)
		if err == nil {
			call.Close()
		}
		if err == nil || !strings.Contains(remedy.Told(err, nil), c.want) {
			t.Errorf("%s with %v %q: error %v\nwant %s", c.function, c.parameters, c.arguments, err, c.want)
		}
	}
}

// An input of which the pipeline takes any extents, as behind a boundary condition, has those of the output.
func TestInputLikeOutput(t *testing.T) {
	inv := invocation(t, inC(t), "clamped")
	call := prepare(t, inv, 0)
	if want := "in has the extents 8 of the output out, since the pipeline takes any"; !slices.Contains(call.Notes, want) {
		t.Errorf("notes %q, want %q", call.Notes, want)
	}
	if err := callTimes(t, call, 1); err != nil {
		t.Error(err)
	}
}

// Everything that is not known is named at once: scalars, outputs, and inputs that nothing determines.
func TestAllUnknownAtOnce(t *testing.T) {
	buffer := func(name string, kind metadata.Kind, dimensions int) boundArgument {
		return boundArgument{Argument: &metadata.Argument{Name: name, Kind: kind, Dimensions: dimensions},
			element: invocations.Float32, dims: make([]dimension, dimensions)}
	}
	b := &binding{pipeline: &metadata.Pipeline{Name: "blur"}, arguments: []boundArgument{
		{Argument: &metadata.Argument{Name: "sigma"}, element: invocations.Float32, open: true},
		{Argument: &metadata.Argument{Name: "trunc"}, element: invocations.Int32, open: true},
		buffer("image", metadata.InputBuffer, 2), buffer("weights", metadata.InputBuffer, 1),
		buffer("output", metadata.OutputBuffer, 2),
	}}
	err := b.sizes(func(*binding) error { return nil }) // it takes whatever it is asked with
	want := "sigma, trunc, output.extent, weights.extent are not known: the pipeline has no estimates, and takes any value; " +
		"call blur sigma=1.5 trunc=1 output.extent=256x256 weights.extent=256"
	if got := remedy.Told(err, nil); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A call that fails is noticed, with its code and the text that the pipeline has given. Calls go on afterwards.
func TestFailingCalls(t *testing.T) {
	path := inC(t)
	call := prepare(t, invocation(t, path, "third"), 0)
	if err := callTimes(t, call, 2); err != nil {
		t.Fatal(err)
	}
	want := "third returned error -27 (requirement failed): Requirement Failed: (calls == 2)"
	var failed *CallError
	if err := callTimes(t, call, 4); !errors.As(err, &failed) || failed.Code != -27 || failed.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if err := callTimes(t, call, 5); err != nil {
		t.Errorf("after the failure: %v", err)
	}

	want = "silent returned error -1 (generic error)"
	if err := callTimes(t, prepare(t, invocation(t, path, "silent"), 0), 3); !errors.As(err, &failed) ||
		failed.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	var memory *executor.MemoryError
	if err := callTimes(t, prepare(t, invocation(t, path, "hungry"), 0), 1); !errors.As(err, &memory) {
		t.Errorf("error %v, want one of memory", err)
	}
}

// Sets are as many as asked for. All their buffers are aligned, and the pipeline sees contents of each set.
func TestSets(t *testing.T) {
	inv := invocation(t, inC(t), "wide")
	call := prepare(t, inv, 1<<16)
	if call.SetBytes < 1<<16 || len(code(call).Frames) < 20 || call.SetBytes%bufferAlignment != 0 {
		t.Errorf("%d sets of %d bytes together", len(code(call).Frames), call.SetBytes)
	}
	if err := callTimes(t, call, 2*len(code(call).Frames)); err != nil {
		t.Error(err)
	}
	own, err := load(t, inv).(*program).pipeline("wide")
	if err != nil {
		t.Fatal(err)
	}
	b, err := own.bind(inv)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := newSets(b, arguments.Request{Least: 1 << 16, Seed: 1, Layout: arguments.Layout(inv.Measure, 0)})
	if err != nil {
		t.Fatal(err)
	}
	defer sets.Free()
	different := map[string]bool{}
	for k := range sets.Count() {
		for i := range b.arguments {
			if host := sets.buffer(k, i).host; host%bufferAlignment != 0 {
				t.Errorf("set %d, argument %d: at %#x", k, i, host)
			}
		}
		different[string(sets.Array(k, 0))] = true
	}
	if len(different) != sets.Count() {
		t.Errorf("%d different contents in %d sets", len(different), sets.Count())
	}
}

// Arguments that no memory holds end as what they are.
func TestTooLarge(t *testing.T) {
	inv := invocation(t, inC(t), "interleaved")
	inv.Parameters = map[string]string{"in.extent": "30000x60000x60000", "out.extent": "30000x60000x60000"}
	_, err := load(t, inv).Prepare(inv, 0)
	var memory *executor.MemoryError
	if !errors.As(err, &memory) {
		t.Errorf("error %v", err)
	}
}
