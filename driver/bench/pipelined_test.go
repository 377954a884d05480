package bench

import (
	"math"
	"strings"
	"testing"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

// Modules hand results to inputs of the next one; without that, they cannot work on several samples at the same time.
func TestHandover(t *testing.T) {
	weight, input := Array{Kind: KindWeight}, Array{Kind: KindInput}
	previous := func(output int) Array { return Array{Kind: KindPrevious, Output: output} }
	pre := Module{Role: RolePre, Inputs: []Array{input}}
	device := Module{Role: RoleDevice, Inputs: []Array{weight, previous(1), previous(0)}}
	for _, c := range []struct {
		modules []Module
		want    Handover
		why     string
	}{
		{[]Module{device}, nil, ""},
		{[]Module{pre, device}, Handover{{}, {1: 1, 2: 0}}, ""},
		{[]Module{pre, {Role: RoleDevice, Inputs: []Array{weight, input}}}, nil, "device takes nothing from cpu-pre"},
	} {
		got, why := (&Manifest{Modules: c.modules}).Handover()
		if why != c.why || !cmp.Equal(got, c.want) {
			t.Errorf("%v: %v, %q", c.modules, got, why)
		}
	}
}

// The pipelined time is beside the times of the parts, which it does not change.
func TestMeasuredPipelined(t *testing.T) {
	record := func() *RunRecord {
		r := &RunRecord{}
		r.Args = DefaultOptions()
		r.Args.LoopCount, r.Args.Microbatch = 2, 4
		if err := r.Measured([]ModuleRecord{measured(RolePre, 10, 10, 10, 10), measured(RoleDevice, 30, 30, 30, 30)}); err != nil {
			t.Fatal(err)
		}
		return r
	}
	r, parts := record(), record()
	good := invocations.Record{Status: invocations.OK,
		RecordedBatches: invocations.RecordedBatches{WallNS: []float64{41, 41}},
		Verdicts:        []invocations.Verdict{invocations.Clean}}
	if err := r.MeasuredPipelined(&good); err != nil {
		t.Fatal(err)
	}
	p := r.Zonemark.Pipelined
	if math.Abs(p.TotalTime-41e-9) > 1e-15 || math.Abs(p.Ratio-0.5) > 1e-9 || math.Abs(p.SamplesPerSec*41e-9-8) > 1e-9 ||
		!cmp.Equal(p.Parts, []string{RolePre, RoleDevice}) || !cmp.Equal(p.Verdicts, good.Verdicts) {
		t.Errorf("%+v", p)
	}
	if r.TotalTime != parts.TotalTime || r.SamplesPerSec != parts.SamplesPerSec || !cmp.Equal(r.Zonemark.Verdicts, parts.Zonemark.Verdicts) {
		t.Errorf("the times of the parts have become %+v", r)
	}
	onDevice := record()
	onDevice.Zonemark.Definition = OnDeviceDefinition + "; " + SteadyDefinition
	if err := onDevice.MeasuredPipelined(&good); err != nil || p.Definition != PipelinedDefinition ||
		onDevice.Zonemark.Pipelined.Definition != OnDevicePipelinedDefinition {
		t.Errorf("the definitions are %q and %q, %v", p.Definition, onDevice.Zonemark.Pipelined.Definition, err)
	}
	wide := good
	wide.WallNS = []float64{30, 60}
	if err := r.MeasuredPipelined(&wide); err != nil || !cmp.Equal(r.Zonemark.Pipelined.Verdicts, []invocations.Verdict{invocations.NotConverged}) {
		t.Errorf("%+v, %v", r.Zonemark.Pipelined, err)
	}
	bad := invocations.Record{Status: invocations.Mismatch, Error: "result 0"}
	err := r.MeasuredPipelined(&bad)
	if err == nil || !strings.Contains(err.Error(), "mismatch: result 0") || r.Zonemark.Pipelined.Error != "mismatch: result 0" ||
		r.Zonemark.Pipelined.TotalTime != 0 || r.TotalTime != parts.TotalTime {
		t.Errorf("%v: %+v", err, r.Zonemark.Pipelined)
	}
}
