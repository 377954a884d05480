package iree

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testsize"
)

// capiModule returns the path of a module of the C API's testdata, compiled for this processor.
func capiModule(module string) string {
	return filepath.Join("capi", "testdata", runtime.GOARCH, module+".vmfb")
}

// capiSessionOf opens a module of the C API's testdata with the C runtime.
func capiSessionOf(t testing.TB, module string, options map[string]string) session {
	t.Helper()
	path := setuptest.CAPI(t)
	if err := capi.Supported(); err != nil {
		t.Skip(err)
	}
	s, err := capiProvider{path}.open(capiModule(module), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// filled returns a tensor of f32 with one value in all elements.
func filled(v float32, shape ...int64) tensor.Tensor {
	t := tensor.Tensor{Element: invocations.Float32, Shape: shape}
	for range t.Elements() {
		t.Data = binary.NativeEndian.AppendUint32(t.Data, math.Float32bits(v))
	}
	return t
}

func bind(t testing.TB, s session, function string, inputs ...tensor.Tensor) *bound {
	t.Helper()
	b, err := s.bind(function, inputs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

func mlpInputs() []tensor.Tensor {
	return []tensor.Tensor{filled(0.01, 64, 256), filled(0.01, 256, 512), filled(0.01, 512, 128)}
}

// capiDevices are the options under which the provider is tested.
var capiDevices = []map[string]string{
	nil,
	{optionDevice: "local-task"},
	{optionDevice: "local-task", optionTaskThreads: "1"},
	{optionDevice: "local-task", optionTaskThreads: "2"},
}

func TestCAPIProfile(t *testing.T) {
	calls := int64(testsize.Of(70, 700))
	for _, options := range capiDevices {
		t.Run(device(options)+options[optionTaskThreads], func(t *testing.T) {
			b := bind(t, capiSessionOf(t, "mlp", options), "mlp", mlpInputs()...)
			p, err := b.profile(calls)
			if err != nil {
				t.Fatal(err)
			}
			if p.Partial || len(p.Dispatches) != 3 {
				t.Fatalf("%+v", p)
			}
			t.Logf("call %.0f, gaps %.0f, host %.0f ns; %q", p.CallNS, p.GapNS, p.HostNS, p.Notes)
			shortest := 0.0
			for i, d := range p.Dispatches {
				t.Logf("%+v", d)
				shortest += d.MinNS
				want := []string{"mlp_dispatch_0_matmul_64x512x256_f32", "mlp_dispatch_1_matmul_64x128x512_f32",
					"mlp_dispatch_2_softmax_64x128xf32"}[i]
				if !strings.HasPrefix(d.Name, want) || d.Ordinal != i || d.Count != calls ||
					d.Workgroups != []int{16, 16, 8}[i] || d.MinNS <= 0 || d.MinNS > d.MedianNS ||
					d.TotalNS < d.MinNS*float64(calls) {
					t.Errorf("%+v", d)
				}
				if d.Threads < 1 || options[optionTaskThreads] == "1" && d.Threads != 1 ||
					options == nil && d.Threads != 1 {
					t.Errorf("%s ran on %d threads", d.Name, d.Threads)
				}
			}
			if p.HostNS <= 0 || p.GapNS < 0 || p.HostNS+p.GapNS > p.CallNS || shortest > p.CallNS {
				t.Errorf("call %g, gaps %g, host %g and dispatches of at least %g ns",
					p.CallNS, p.GapNS, p.HostNS, shortest)
			}
			out, err := b.outputs()
			if err != nil || len(out) != 1 || binary.NativeEndian.Uint32(out[0].Data) != math.Float32bits(1.0/128) {
				t.Errorf("after the profile: %v, %d results", err, len(out))
			}
			// A second profile on the same device works too.
			if p, err := b.profile(1); err != nil || len(p.Dispatches) != 3 || p.Dispatches[2].Count != 1 {
				t.Errorf("the second profile: %v, %+v", err, p)
			}
		})
	}
}

// TestCAPIProfileCounts checks that every dispatch of 50,000 calls is counted.
func TestCAPIProfileCounts(t *testing.T) {
	const calls = 50_000
	b := bind(t, capiSessionOf(t, "tiny", nil), "tiny", filled(2, 4), filled(3, 4))
	p, err := b.profile(calls)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Dispatches) != 1 || p.Dispatches[0].Count != calls || p.Partial || p.HostNS <= 0 || p.GapNS != 0 {
		t.Fatalf("%+v", p)
	}
	t.Logf("call %.0f, dispatch %.0f, host %.0f ns", p.CallNS, p.Dispatches[0].MedianNS, p.HostNS)
}

func TestCAPIProfileWithoutDispatches(t *testing.T) {
	b := bind(t, capiSessionOf(t, "noop", nil), "noop")
	p, err := b.profile(1000)
	if err != nil || len(p.Dispatches) != 0 || p.Partial || p.CallNS <= 0 || p.HostNS != 0 ||
		p.UnexplainedNS != p.CallNS {
		t.Errorf("%v, %+v", err, p)
	}
	if _, err := b.profile(0); err == nil {
		t.Error("a profile of no calls")
	}
}

func TestCAPIProfileOfFailingCalls(t *testing.T) {
	s := capiSessionOf(t, "tiny", nil)
	b := bind(t, s, "tiny", filled(1, 4))
	if _, err := b.profile(10); err == nil || !strings.Contains(err.Error(), "expected 2 arguments") {
		t.Errorf("%v", err)
	}
	good := bind(t, s, "tiny", filled(1, 4), filled(1, 4))
	if p, err := good.profile(10); err != nil || p.Dispatches[0].Count != 10 {
		t.Errorf("a profile after one that failed: %v", err)
	}
}

func TestCAPIFrame(t *testing.T) {
	s := capiSessionOf(t, "tiny", nil)
	run := func(b *bound) *executor.Native {
		t.Helper()
		call, ok := workload([]*bound{b}, nil, executor.OnThread{}).(*executor.Native)
		if !ok {
			t.Fatal("the timing loop does not make the calls")
		}
		if len(call.Lines) != 2 || call.Lines[0].Len != 16 || **(**float32)(unsafe.Pointer(&call.Lines[0].Addr)) != 2 {
			t.Errorf("the inputs are at %+v", call.Lines)
		}
		l, err := native.NewLoop(native.MonotonicClock(), call.Entry, call.Frames)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		l.Run(100, 3)
		return call
	}
	good := bind(t, s, "tiny", filled(2, 4), filled(3, 4))
	if err := run(good).Failed(); err != nil {
		t.Error(err)
	}
	out, err := good.outputs()
	if err != nil || len(out) != 1 || string(out[0].Data) != string(filled(6, 4).Data) {
		t.Errorf("results of the loop's calls: %v, %v", out, err)
	}
	bad := run(bind(t, s, "tiny", filled(2, 4), filled(3, 5)))
	if err := bad.Failed(); err == nil || !strings.Contains(err.Error(), "expected 4 but have 5") {
		t.Errorf("calls that fail: %v", err)
	}
	if err := bad.Failed(); err != nil {
		t.Errorf("asked again: %v", err)
	}
}

func TestCAPIOptions(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		want    string
	}{
		{map[string]string{optionTaskThreads: "many", optionDevice: "local-task"}, "task-threads=many"},
		{map[string]string{optionTaskThreads: "0", optionDevice: "local-task"}, "task-threads=0"},
		{map[string]string{optionTaskThreads: "2"}, "only the device local-task has workers, not local-sync; choose device local-task"},
		{map[string]string{optionDevice: "cuda"}, "local-sync, local-task"},
		{map[string]string{optionParameterFiles: "model="}, "names no file"},
		{map[string]string{optionParameterFiles: "model=nowhere.irpa"}, "nowhere.irpa"},
	} {
		path := setuptest.CAPI(t)
		s, err := capiProvider{path}.open(capiModule("noop"), c.options)
		if err == nil {
			s.close()
			t.Errorf("%v: opened", c.options)
		} else if !strings.Contains(remedy.Told(err, nil), c.want) {
			t.Errorf("%v: the error %q does not say %q", c.options, err, c.want)
		}
	}
}

func TestCAPIWithoutParameters(t *testing.T) {
	_ = capiSessionOf(t, "noop", nil) // skips if there is no runtime
	s, err := capiProvider{setuptest.CAPI(t)}.open(capiModule("weights"), nil)
	if err == nil {
		s.close()
		t.Fatal("a module without its parameters opened")
	}
	if !strings.Contains(remedy.Told(err, nil), "file parameter-files") {
		t.Errorf("the error %q does not say what to do", err)
	}
}

func TestCAPIMissing(t *testing.T) {
	if capi.Supported() != nil {
		t.Skip(capi.Supported())
	}
	for _, path := range []string{"", filepath.Join(t.TempDir(), "libiree_runtime.so")} {
		p := capiProvider{path}
		if err := p.unusable(defaultDevice); err == nil || !strings.Contains(remedy.Told(err, nil), "install iree-capi") {
			t.Errorf("%q: %v", path, err)
		}
		if _, err := p.open("x.vmfb", nil); err == nil {
			t.Errorf("%q: opened", path)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	plain := errors.New("other")
	if outOfMemory(plain) != plain || outOfMemory(nil) != nil {
		t.Error("an error of another kind changed")
	}
}
