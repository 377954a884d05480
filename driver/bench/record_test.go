package bench

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// measured returns a module with these times of iterations, in two repetitions of two.
func measured(role string, ns ...float64) ModuleRecord {
	r := invocations.NewRecord(invocations.Invocation{Name: role}, invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Batches: invocations.Batches{SamplesNS: ns, MergedSamples: []int{2, 2},
			RoundsNS: []float64{ns[0] + ns[1] + 1, ns[2] + ns[3] + 1}},
		Calling: invocations.Calling{Iterations: int64(len(ns)), CallsPerBatch: 1}, Summary: stats.Summarize(ns, nil),
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
		!slices.Equal(z.Verdicts, []invocations.Verdict{invocations.NotConverged}) { // its repetitions are far apart
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

// The interval end to end, and the verdict on it, are those between repetitions.
func TestMeasuredVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		ns   []float64 // of iterations
		n    int       // repetitions
		low  float64
		high float64
		want invocations.Verdict
	}{
		"one repetition":         {[]float64{100, 100, 100, 100}, 1, 100, 100, invocations.NotConverged},
		"one iteration":          {[]float64{100}, 1, 100, 100, invocations.NotConverged},
		"steady":                 {[]float64{100, 100, 100, 100}, 2, 100, 100, invocations.Clean},
		"repetitions far apart":  {[]float64{100, 100, 300, 300}, 2, 0, 200, invocations.NotConverged},
		"iterations wide, alike": {[]float64{100, 300, 100, 300}, 2, 200, 200, invocations.Clean},
	} {
		var r RunRecord
		r.Args = DefaultOptions()
		one := measured(RoleDevice, 1, 2, 3, 4)
		one.SamplesNS, one.WallNS = c.ns, slices.Repeat([]float64{400}, c.n)
		if err := r.Measured([]ModuleRecord{one}); err != nil {
			t.Fatal(err)
		}
		i := r.Zonemark.Iteration
		if !slices.Equal(r.Zonemark.Verdicts, []invocations.Verdict{c.want}) || i.CILowNS > c.low || i.CIHighNS < c.high ||
			c.low == c.high && i.CIHighNS-i.CILowNS > 0 {
			t.Errorf("%s: %v, %g … %g", name, r.Zonemark.Verdicts, i.CILowNS, i.CIHighNS)
		}
	}
}

// Calls are counted, not told by the times that are kept.
func TestCallsOfModules(t *testing.T) {
	one := measured(RoleDevice, 1, 2, 3, 4)
	if one.Iterations = nil; one.Calls() != 4 || one.TotalNS() != 10 {
		t.Errorf("a record of before has %d calls of %g ns", one.Calls(), one.TotalNS())
	}
	calls := int64(4_000_000)
	one.Iterations = &calls
	var r RunRecord
	r.Args = DefaultOptions()
	if err := r.Measured([]ModuleRecord{one}); err != nil {
		t.Fatal(err)
	}
	if one.Calls() != calls || one.TotalNS() != 10e6 || r.Zonemark.Iteration.N != int(calls) {
		t.Errorf("%d calls, %g ns, %d iterations", one.Calls(), one.TotalNS(), r.Zonemark.Iteration.N)
	}
}
