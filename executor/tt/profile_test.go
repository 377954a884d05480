package tt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
)

// profiling returns the pretend plugin with a profiler that returns the profile of fifty calls.
func profiling(t *testing.T, flags ...string) (Runtime, func(string) int64) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "mlp.xplane.pb"))
	if err != nil {
		t.Fatal(err)
	}
	return pretendRuntime(t, append([]string{fmt.Sprintf("-DXSPACE=%q", path)}, flags...)...)
}

// TestProfiler checks that a plugin with a profiler reports the operations of a call and leaves nothing behind, and
// that a failing profiler becomes a note.
func TestProfiler(t *testing.T) {
	for _, c := range []struct {
		flag  string
		calls int64
		note  string
	}{
		{"-DPROFILER_ERROR=0", 50, ""}, {"-DOWN_BUFFER -DPROFILER_ERROR=0", 50, ""},
		{"-DPROFILER_ERROR=0", 20,
			"the profile has 450 operations of 20 calls, which are not alike: operations are added up by name"},
		{"-DPROFILER_ERROR=1", 50, "no times of operations: the plugin's profiler, create: the profiler is in use"},
		{"-DPROFILER_ERROR=2", 50, "the plugin's profiler, start: the profiler cannot do that now"},
		{"-DPROFILER_ERROR=3", 50, "the plugin's profiler, stop: the profiler cannot do that now"},
		{"-DPROFILER_ERROR=4", 50, "the plugin's profiler, collect_data: there is no data"},
	} {
		r, look := profiling(t, strings.Fields(c.flag)...)
		inv := invocation(t, r, write(t, pretendProgram), nil, nil, nil)
		inv.Measure.ProfileCalls, inv.Measure.MaxTimeNS = c.calls, 1e9
		p, call := prepared(t, r, inv)
		before := look("live_objects")
		profile, err := call.Profile(c.calls)
		if err != nil || profile.Partial != (c.note != "") ||
			!strings.Contains(strings.Join(profile.Notes, "\n"), c.note) || profile.CallNS <= 0 {
			t.Errorf("%s: %v, %+v", c.flag, err, profile)
		}
		call.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if after := look("live_objects"); after != 0 {
			t.Errorf("%s: %d objects before, %d at the end", c.flag, before, after)
		}
		if !strings.HasSuffix(c.flag, "-DPROFILER_ERROR=0") {
			continue
		}
		var names []string
		for i, d := range profile.Dispatches {
			names = append(names, d.Name)
			if d.Ordinal != i || d.Count != 50 || d.MinNS <= 0 || d.MedianNS < d.MinNS || d.TotalNS < 25*d.MedianNS {
				t.Errorf("%+v", d)
			}
		}
		if want := []string{"dot.8", "tanh.9", "dot.10"}; len(names) != 9 || !slices.Equal(names[:3], want) {
			t.Errorf("operations %q", names)
		}
		if (profile.GapNS > 0) != (c.calls == 50) {
			t.Errorf("gaps %g", profile.GapNS)
		}
	}
	r, _ := pretendRuntime(t)
	inv := invocation(t, r, write(t, pretendProgram), nil, nil, nil)
	inv.Measure.ProfileCalls = 5
	_, notes, err := check(t, r, inv, 0)
	if err != nil || !slices.Contains(notes, "no times of operations: the plugin offers no profiler") {
		t.Errorf("%v, %q", err, notes)
	}
}

// TestCost checks that XLA's plugin for the CPU has no profiler, and reports what a call computes and moves on all its
// devices.
func TestCost(t *testing.T) {
	r := cpuRuntime(t)
	for chips, devices := range map[string]float64{"1": 1, "0": 4} {
		inv := invocation(t, r, filepath.Join("testdata", "matmul_f32.mlir"), map[string]string{"chips": chips}, nil,
			nil)
		inv.Measure.ProfileCalls = 5
		p, call := prepared(t, r, inv)
		if call.FLOP != 2*3*4*2*devices || call.Bytes < 4*(12+8+6)*devices || call.Profile != nil {
			t.Errorf("chips %s: %g FLOP, %g bytes", chips, call.FLOP, call.Bytes)
		}
		call.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func event(name string, start, duration int64) pjrt.XEvent {
	return pjrt.XEvent{Name: name, StartPS: start * 1000, DurationPS: duration * 1000}
}

// TestOperationsOfDevices checks that device planes take precedence over the host, and that summaries beside the
// streams and events that enclose other operations are not counted twice.
func TestOperationsOfDevices(t *testing.T) {
	stream := pjrt.XLine{Name: "Stream #7", Events: []pjrt.XEvent{
		event("while", 100, 60), event("fusion", 100, 20), event("fusion", 130, 30), event("copy", 170, 10),
		event("while", 1100, 60), event("fusion", 1100, 20), event("fusion", 1130, 30), event("copy", 1180, 10),
	}}
	steps := pjrt.XLine{Name: "XLA Modules", Events: []pjrt.XEvent{event("jit_f", 90, 100), event("jit_f", 1090, 100)}}
	host := pjrt.XPlane{
		Name:  "/host:CPU",
		Lines: []pjrt.XLine{{Events: []pjrt.XEvent{{Name: "dot", Operation: "dot", DurationPS: 5}}}},
	}
	device := pjrt.XPlane{Name: "/device:GPU:0", Lines: []pjrt.XLine{steps, stream}}
	other := pjrt.XPlane{Name: "/device:GPU:1", Lines: []pjrt.XLine{stream}}
	empty := pjrt.XPlane{Name: "/device:CUSTOM:0"}
	p := operationProfile(pjrt.XSpace{Planes: []pjrt.XPlane{host, empty, device, other}, Warnings: []string{"beware"}},
		[]float64{200, 220})
	want := []invocations.Dispatch{
		{Name: "fusion", Ordinal: 0, Count: 2, MedianNS: 20, MinNS: 20, TotalNS: 40, P10NS: 20, P90NS: 20},
		{Name: "fusion", Ordinal: 1, Count: 2, MedianNS: 30, MinNS: 30, TotalNS: 60, P10NS: 30, P90NS: 30},
		{Name: "copy", Ordinal: 2, Count: 2, MedianNS: 10, MinNS: 10, TotalNS: 20, P10NS: 10, P90NS: 10},
	}
	if !slices.Equal(p.Dispatches, want) || p.GapNS != 25 || p.HostNS != 125 || p.CallNS != 210 || p.Partial {
		t.Errorf("%+v", p)
	}
	notes := strings.Join(p.Notes, "\n")
	if !strings.Contains(notes, "beware") || !strings.Contains(notes, "those of /device:GPU:0, one of 2 devices") {
		t.Errorf("notes %s", notes)
	}

	tpu := pjrt.XPlane{
		Name: "/device:TPU:0",
		Lines: []pjrt.XLine{
			{Name: "Async ops", Events: []pjrt.XEvent{event("copy-start", 0, 500)}},
			{Name: "XLA Ops", Events: stream.Events[3:4]},
		},
	}
	p = operationProfile(pjrt.XSpace{Planes: []pjrt.XPlane{tpu}}, []float64{50})
	if len(p.Dispatches) != 1 || p.Dispatches[0].Name != "copy" {
		t.Errorf("%+v", p)
	}
	uneven := pjrt.XPlane{
		Name: "/device:GPU:0",
		Lines: []pjrt.XLine{{Events: []pjrt.XEvent{
			event("a", 0, 5), event("b", 10, 5), event("a", 20, 5), event("c", 30, 5),
		}}},
	}
	p = operationProfile(pjrt.XSpace{Planes: []pjrt.XPlane{uneven}, Errors: []string{"lost"}}, []float64{20, 20})
	if !p.Partial || len(p.Dispatches) != 3 || p.Dispatches[0].Count != 2 ||
		!strings.Contains(strings.Join(p.Notes, "\n"), "call 1 has other operations than the first") {
		t.Errorf("%+v", p)
	}
	if p := operationProfile(pjrt.XSpace{}, []float64{20}); !p.Partial || len(p.Dispatches) > 0 || len(p.Notes) != 1 ||
		p.HostNS != 0 || p.UnexplainedNS != 20 {
		t.Errorf("%+v", p)
	}
	// A loop of many turns becomes one row for each name.
	var turns []pjrt.XEvent
	for i := range int64(2 * 300) {
		turns = append(turns, event("turn", 10*i, 5))
	}
	p = operationProfile(pjrt.XSpace{Planes: []pjrt.XPlane{{Name: "/device:X:0",
		Lines: []pjrt.XLine{{Events: turns}}}}}, []float64{3000, 3000})
	if len(p.Dispatches) != 1 || p.Dispatches[0].Count != 600 || p.GapNS != 299*5 || p.Partial {
		t.Errorf("%+v", p)
	}
}
