package tt

import (
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/pipelines"
)

// addProgram returns a program of a weight and an input, both of four numbers, whose result is their sum or another
// operation of both.
func addProgram(operation string) []byte {
	return []byte("func.func @main(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {\n" +
		"  %0 = stablehlo." + operation + " %w, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}")
}

// threeStages returns a pipeline of which each stage combines a weight with what comes from the stage before.
func threeStages(operations ...string) pipelines.Pipeline {
	p := pipelines.Pipeline{Samples: 5}
	for i, operation := range operations {
		s := pipelines.Stage{Program: addProgram(operation), Options: map[string]string{"resident-inputs": "1"}}
		if i > 0 {
			s.From = map[int]int{1: 0}
		}
		p.Stages = append(p.Stages, s)
	}
	return p
}

func writePipeline(t *testing.T, p pipelines.Pipeline) string {
	t.Helper()
	file, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return write(t, string(file))
}

var transfersOption = map[string]string{"transfers": "included"}

// TestPipeline sends samples through three programs. The inputs that the programs hand on are not those of the files.
func TestPipeline(t *testing.T) {
	r := cpuRuntime(t)
	path := writePipeline(t, threeStages("add", "multiply", "subtract"))
	inputs := []string{"4xf32=1", "4xf32=1 2 3 4", "4xf32=10", "4xf32=99", "4xf32=100", "4xf32=99"}
	for want, mismatched := range map[string]bool{"4xf32=80 70 60 50": false, "4xf32=1": true} {
		inv := invocation(t, r, path, transfersOption, inputs, []string{want})
		mismatch, notes, err := check(t, r, inv, 0)
		if err != nil || (mismatch != "") != mismatched {
			t.Errorf("%s: %q, %v", want, mismatch, err)
		}
		if text := strings.Join(notes, "\n"); !strings.Contains(text, "sends 5 samples through 3 programs") {
			t.Errorf("notes %s", text)
		}
	}
	if _, _, err := check(t, r, invocation(t, r, path, transfersOption, inputs, nil), 1); err == nil ||
		!strings.Contains(err.Error(), "one set of arguments") {
		t.Errorf("several sets: %v", err)
	}
}

// TestPipelineFreed: whether a call ends well or a stage fails, everything that was made is freed, and no stage waits for
// another one that has failed.
func TestPipelineFreed(t *testing.T) {
	r, look := pretendRuntime(t)
	for bad, want := range map[int]string{-1: "", 0: "stage 0: ", 1: "stage 1: ", 2: "stage 2: "} {
		p := threeStages("add", "add", "add")
		if bad >= 0 {
			p.Stages[bad].Program = append(p.Stages[bad].Program, "// stops on the device"...)
		}
		_, _, err := check(t, r, invocation(t, r, writePipeline(t, p), transfersOption, nil, nil), 0)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want+"PJRT_Event_Await: INTERNAL: the device stopped") {
			t.Errorf("stage %d: %v", bad, err)
		}
		if left := look("live_objects"); left != 0 {
			t.Errorf("stage %d: %d objects were not freed", bad, left)
		}
	}
}

// TestPipelineRefused: what is no pipeline is refused before anything runs.
func TestPipelineRefused(t *testing.T) {
	r, look := pretendRuntime(t)
	good := threeStages("add", "add")
	file, err := good.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file    string
		options map[string]string
		want    string
	}{
		"cut off":   {string(file[:len(file)-1]), transfersOption, "stage 1 has"},
		"transfers": {strings.ReplaceAll(string(file), `"resident-inputs":"1"`, `"resident-inputs":""`), nil, "option transfers: "},
		"chips":     {string(file), map[string]string{"transfers": "included", "chips": "2"}, "option chips=2"},
	} {
		if _, err := r.Describe(write(t, c.file), executor.DescribeOptions{Options: c.options}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for name, change := range map[string]func(*pipelines.Pipeline){
		"input 1 cannot take result 1": func(p *pipelines.Pipeline) { p.Stages[1].From = map[int]int{1: 1} },
		"input 0 cannot take result 0": func(p *pipelines.Pipeline) { p.Stages[1].From = map[int]int{0: 0} },
		"input 1 is tensor<4xf32>, and result 0 of the stage before is tensor<2xi8>": func(p *pipelines.Pipeline) {
			p.Stages[0].Program = []byte("func.func @main(%w: tensor<2xi8>, %x: tensor<2xi8>) -> tensor<2xi8>")
		},
		"stage 1: the program runs on 2 devices": func(p *pipelines.Pipeline) {
			p.Stages[1].Program = append([]byte("module attributes {mhlo.num_replicas = 2 : i32} {\n"), append(p.Stages[1].Program, "\n}"...)...)
		},
	} {
		p := threeStages("add", "add")
		change(&p)
		inv := invocation(t, r, writePipeline(t, p), transfersOption, nil, nil)
		loaded, err := r.Load(inv.Artifact)
		if err == nil {
			if _, err = loaded.Prepare(inv, 0); err != nil {
				_ = loaded.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
		if left := look("live_objects"); left != 0 {
			t.Errorf("%s: %d objects were not freed", name, left)
		}
	}
}
