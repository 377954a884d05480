package bench

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// measured returns a module with these times of iterations, in two repetitions of two.
func measured(role string, ns ...float64) ModuleRecord {
	r := invocations.NewRecord(invocations.Invocation{Name: role}, invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean}, SamplesNS: ns,
		MergedSamples: []int{2, 2}, Summary: stats.Summarize(ns, nil),
		RoundsNS:   []float64{ns[0] + ns[1] + 1, ns[2] + ns[3] + 1},
		Properties: map[string]string{"compile_ns": "3000000"},
	})
	return ModuleRecord{role, r}
}

// The numbers of a record follow its definition.
func TestMeasured(t *testing.T) {
	var r RunRecord
	r.Args = DefaultOptions()
	r.Args.LoopCount, r.Args.Chips = 2, 3
	r.SetModel(Export{
		Manifest: &Manifest{
			Microbatch: 5, Tokens: 7, FLOP: 200, Config: "c", NotApplied: map[string]string{"layers": "no"},
		},
		Took: 2 * time.Second,
	})
	r.Zonemark.Model.FLOP = 200
	if err := r.Measured([]ModuleRecord{
		measured(RolePre, 10, 20, 30, 40),
		measured(RoleDevice, 100, 100, 100, 300),
	}); err != nil {
		t.Fatal(err)
	}
	z := r.Zonemark
	wantTimes := []float64{232e-9, 472e-9}
	if !slices.EqualFunc(z.TotalTimes, wantTimes, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) ||
		math.Abs(r.TotalTime-352e-9) > 1e-15 {
		t.Errorf("times %v, total %v", z.TotalTimes, r.TotalTime)
	}
	if r.TotalSamples != 2*5*3*7 || math.Abs(r.SamplesPerSec*r.TotalTime-210) > 1e-9 {
		t.Errorf("%d samples, %g a second", r.TotalSamples, r.SamplesPerSec)
	}
	if z.Iteration.N != 4 || z.Iteration.MedianNS != 125 || z.Iteration.MinNS != 110 ||
		math.Abs(z.SteadyRate-105/125e-9) > 1 || z.CompileMS != 6 || math.Abs(z.FLOPPerSec-600/100e-9) > 1 {
		t.Errorf("%+v %+v", z.Iteration, z)
	}
	if z.NotApplied["layers"] != "no" || z.ExportS != 2 || r.Args.Microbatch != 5 ||
		!slices.Equal(z.Verdicts, []invocations.Verdict{invocations.Clean}) {
		t.Errorf("%+v", z)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		`"total_time":`, `"total_samples":210`, `"samples_per_sec":`, `"args":{"model":"`,
		`"arch":`, `"machine_name":`, `"hash":`, `"date":`, `"device":null`, `"role":"cpu-pre","kind":"result"`,
		`"samples_ns":[10,20,30,40]`,
	} {
		if !strings.Contains(string(text), key) {
			t.Errorf("%s lacks %s", text, key)
		}
	}
	if strings.Contains(string(text), `"error"`) {
		t.Errorf("a record without an error has one: %s", text)
	}
}

// Records of failures have no numbers and tell the reason.
func TestNotMeasured(t *testing.T) {
	failed := ModuleRecord{RoleDevice, invocations.NewRecord(invocations.Invocation{},
		invocations.Result{Status: invocations.Mismatch, Error: "result 0 differs"})}
	short := measured(RoleDevice, 1, 2, 3, 4)
	short.SamplesNS = short.SamplesNS[:3]
	for want, modules := range map[string][]ModuleRecord{
		"module device: mismatch: result 0 differs": {measured(RolePre, 1, 2, 3, 4), failed},
		"module device: 3 iterations in 2":          {measured(RolePre, 1, 2, 3, 4), short},
	} {
		var r RunRecord
		err := r.Measured(modules)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		r.TotalSamples = 3
		r.Fail(errors.Join(err))
		if r.TotalTime != 0 || r.TotalSamples != 0 || r.SamplesPerSec != 0 || !strings.Contains(r.Error, want) ||
			len(r.Zonemark.Modules) != 2 {
			t.Errorf("%+v", r)
		}
	}
	list := addVerdict(nil, invocations.Clean)
	list = addVerdict(list, invocations.Contended)
	if !slices.Equal(addVerdict(list, invocations.Clean), []invocations.Verdict{invocations.Contended}) {
		t.Errorf("%v", list)
	}
}
