package correlate

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/trace"
)

// deviceList is a source in memory with zones of devices.
type deviceList struct {
	zoneList
	gpu    []trace.GPUZone
	gpuErr error // after these zones
}

func (l *deviceList) GPUZones() iter.Seq2[trace.GPUZone, error] {
	return func(yield func(trace.GPUZone, error) bool) {
		for _, z := range l.gpu {
			if !yield(z, nil) {
				return
			}
		}
		if l.gpuErr != nil {
			yield(trace.GPUZone{}, l.gpuErr)
		}
	}
}

// onDevice returns a source with a call from 0 to 1 ms and one from 2 to 3 ms, in which the thread waits nearly all of
// the time, and with the zones of a device.
func onDevice(gpu ...trace.GPUZone) *deviceList {
	call := func(start int64) node {
		return node{name: "invocation", text: "inv=a", start: start, end: start + 1_000_000, below: []node{
			{name: "iree_hal_fence_wait", start: start + 10_000, end: start + 990_000},
		}}
	}
	return &deviceList{zoneList: *list([]node{call(0), call(2_000_000)}), gpu: gpu}
}

// kernel returns a zone of a device that was recorded 5 µs after the start of the call at so many ns.
func kernel(name string, depth int, call, start, end int64) trace.GPUZone {
	return trace.GPUZone{
		Location: &trace.Location{Function: name, File: "model.mlir", Line: 3}, Depth: depth, CPUStartNS: call + 5_000,
		StartNS: start, DurationNS: end - start,
	}
}

// commands returns the zones of a buffer of commands with two dispatches, which begins at so many ns by the device's
// clock.
func commands(call, start int64) []trace.GPUZone {
	return []trace.GPUZone{
		kernel("f_dispatch_0", 1, call, start+10_000, start+210_000),
		kernel("f_dispatch_1", 1, call, start+250_000, start+550_000),
		kernel("iree_hal_cuda_stream_command_buffer", 0, call, start, start+560_000),
	}
}

// The time of a call on a device is that from the first dispatch to the last, by the device's clock; the rest is the
// host's, and waiting for the device is explained.
func TestDevice(t *testing.T) {
	empty := kernel("iree_hal_cuda_stream_command_buffer", 0, 0, 600_000, 601_000)
	for _, c := range []struct {
		name string
		gpu  []trace.GPUZone
	}{
		{"in step", append(slices.Concat(commands(0, 100_000), commands(2_000_000, 2_100_000)), empty)},
		{"later than the call ends", slices.Concat(commands(0, 480_000), commands(2_000_000, 2_480_000))},
		{"behind, before the call begins", slices.Concat(commands(0, -150_000), commands(2_000_000, 1_850_000))},
		{"ahead, in the time of the next call", slices.Concat(commands(0, 2_100_000), commands(2_000_000, 4_100_000))},
		{"recorded afterwards", slices.Concat(commands(2_000_000, 100_000), commands(4_000_000, 2_100_000))},
		{"a clock of its own", slices.Concat(commands(0, 7_000_000), commands(2_000_000, 9_000_000))},
	} {
		r, err := Join(onDevice(c.gpu...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		inv := r.Invocations[0]
		want := []invocations.Dispatch{
			{Name: "f_dispatch_0", Count: 2, MedianNS: 200_000, MinNS: 200_000, TotalNS: 400_000, P10NS: 200_000, P90NS: 200_000,
				SourceFile: "model.mlir",
				SourceLine: 3},
			{Name: "f_dispatch_1", Ordinal: 1, Count: 2, MedianNS: 300_000, MinNS: 300_000, TotalNS: 600_000,
				P10NS: 300_000, P90NS: 300_000,
				SourceFile: "model.mlir", SourceLine: 3},
		}
		if diff := cmp.Diff(want, inv.Dispatches); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if inv.Verdict != invocations.Clean || inv.HostNS != 460_000 || inv.GapNS != 40_000 || len(r.Warnings) > 0 {
			t.Errorf("%s: %s (%s), host %v, gaps %v, %q", c.name, inv.Verdict, inv.Flags, inv.HostNS, inv.GapNS, r.Warnings)
		}
		for _, it := range inv.Iterations {
			if it.DeviceNS != 540_000 || it.DispatchNS != 500_000 || it.UnexplainedNS != 0 {
				t.Errorf("%s: %+v", c.name, it)
			}
		}
	}
}

// What is missing of a device, or does not fit, is said.
func TestDeviceFlaws(t *testing.T) {
	unfinished := commands(0, 100_000)
	unfinished[1].Unfinished = true
	for _, c := range []struct {
		name    string
		source  *deviceList
		flags   Flags
		warning string
	}{
		{"nothing of the device", onDevice(), Unexplained, ""},
		{"a zone without its end", onDevice(unfinished...), Unfinished | Unexplained | Lacking, ""},
		{"longer than the call", onDevice(append(commands(2_000_000, 2_100_000),
			kernel("f_dispatch_0", 0, 0, 0, 1_500_000))...), Straddled, ""},
		{"before the calls", onDevice(slices.Concat(commands(0, 100_000), commands(2_000_000, 2_100_000),
			[]trace.GPUZone{kernel("upload", 0, 1_200_000, 1_200_000, 1_300_000)})...), 0,
			"1 zones of devices belong to no invocation"},
		{"an error", &deviceList{zoneList: onDevice().zoneList, gpuErr: errors.New("torn")}, Partial | Unexplained, "torn"},
	} {
		r, err := Join(c.source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Invocations[0].Flags; got&c.flags != c.flags || c.flags == 0 && got.PartialTrace() {
			t.Errorf("%s: flags %s, want %s", c.name, got, c.flags)
		}
		if told := strings.Join(r.Warnings, "; "); !strings.Contains(told, c.warning) || c.warning == "" && told != "" {
			t.Errorf("%s: warnings %q", c.name, told)
		}
	}
}
