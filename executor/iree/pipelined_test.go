package iree

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/capi"
	"zonemark/executor/pipelines"
	"zonemark/invocations"
)

// stageModule returns a module whose result is an operation of a weight, which must be positive, and an input.
func stageModule(operation string) string {
	return `func.func @main(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %i = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract %w[%i] : tensor<4xf32>
  %positive = arith.cmpf ogt, %first, %zero : f32
  cf.assert %positive, "a weight is not positive"
  %r = arith.` + operation + ` %w, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
`
}

// threeStages returns a pipeline of which each stage combines a weight with what comes from the stage before, and the
// cache for its modules. The second one has a device.
func threeStages(t *testing.T, device string) (p *pipelines.Pipeline, cache string) {
	t.Helper()
	p = &pipelines.Pipeline{Samples: 5}
	for i, operation := range []string{"addf", "mulf", "subf"} {
		s := pipelines.Stage{Function: "main"}
		s.Path, cache = keptSource(t, operation+".mlir", stageModule(operation))
		if i > 0 {
			s.From = map[int]int{1: 0}
		}
		if i == 1 && device != "" {
			s.Options = map[string]string{optionDevice: device}
		}
		p.Stages = append(p.Stages, s)
	}
	return p, cache
}

func keepPipeline(t *testing.T, p *pipelines.Pipeline) string {
	t.Helper()
	path, err := p.Keep(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runPipeline sends samples through a pipeline on inputs of constants, and compares the result.
func runPipeline(r Runtime, path, cache string, options map[string]string, inputs []string, want string) (err error) {
	list, err := r.Describe(path, executor.DescribeOptions{Cache: cache, Options: options})
	if err != nil {
		return err
	}
	f := list[0].Functions[0]
	if len(f.Arguments) != len(inputs)+1 || f.Arguments[3].Name != "stage 1 input1" || f.Skip != "" {
		return fmt.Errorf("it is described as %+v", f)
	}
	inv := invocations.Invocation{Artifact: list[0].Artifact, Function: f.Name, Arguments: f.Arguments}
	for i, value := range inputs {
		inv.Arguments[i].Contents = constant(value)
	}
	inv.Verify.Expected = []string{want}
	program, err := r.Load(inv.Artifact)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	call, err := program.Prepare(&inv, 0)
	if err != nil {
		return err
	}
	defer call.Close()
	if _, err := program.Prepare(&inv, 1); err == nil || !strings.Contains(err.Error(), "one set of arguments") {
		return fmt.Errorf("several sets: %w", err)
	}
	mismatch, err := call.Verify(func(string) {})
	if err == nil && mismatch != "" {
		err = errors.New("mismatch: " + mismatch)
	}
	return err
}

// Samples go through three modules, by each provider, on one device or on two of them.
func TestPipeline(t *testing.T) {
	r := Runtime{compiler(t)}
	check := func(provider string) error {
		for _, device := range []string{"", taskDevice} {
			p, cache := threeStages(t, device)
			path := keepPipeline(t, p)
			options := map[string]string{OptionProvider: provider}
			good := []string{"1", "2", "10", "99", "100", "99"}
			if err := runPipeline(r, path, cache, options, good, "4xf32=70"); err != nil {
				return fmt.Errorf("%s, device %q: %w", provider, device, err)
			}
			if err := runPipeline(r, path, cache, options, good, "4xf32=1"); err == nil || !strings.Contains(err.Error(), "mismatch: ") {
				return fmt.Errorf("%s: another result is expected: %w", provider, err)
			}
			for stage := range 3 { // whichever fails, none waits for it
				bad := append([]string{}, good...)
				bad[2*stage] = "-1"
				err := runPipeline(r, path, cache, options, bad, "4xf32=70")
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("stage %d: ", stage)) ||
					!strings.Contains(err.Error(), "a weight is not positive") {
					return fmt.Errorf("%s: stage %d fails: %w", provider, stage, err)
				}
			}
		}
		return nil
	}
	onPython(t, func() error { return check(ProviderPython) })
	if capi.Supported() == nil {
		r.Installation.CAPI = setuptest.CAPI(t)
		if err := check(ProviderCAPI); err != nil {
			t.Error(err)
		}
	}
}

// What is no pipeline of modules is refused before anything runs.
func TestPipelineRefused(t *testing.T) {
	r := Runtime{compiler(t)}
	for want, change := range map[string]func(p *pipelines.Pipeline, options map[string]string){
		"a pipeline calls whole functions": func(_ *pipelines.Pipeline, o map[string]string) { o[OptionProvider] = ProviderDispatch },
		`stage 1: the module has no function "none"`: func(p *pipelines.Pipeline, _ map[string]string) {
			p.Stages[1].Function = "none"
		},
		"stage 2: argument input1 is a number": func(p *pipelines.Pipeline, _ map[string]string) {
			p.Stages[2].Path, _ = keptSource(t, "number.mlir", "func.func @main(%w: tensor<4xf32>, %n: f32) -> f32 { return %n : f32 }\n")
		},
		"input 1 cannot take result 1": func(p *pipelines.Pipeline, _ map[string]string) { p.Stages[1].From = map[int]int{1: 1} },
		"input 1 is 4xf32, and result 0 of the stage before is tensor<2xf32>": func(p *pipelines.Pipeline, _ map[string]string) {
			p.Stages[0].Path, _ = keptSource(t, "two.mlir",
				"func.func @main(%w: tensor<4xf32>, %x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n")
		},
		"stage 0 names no file": func(p *pipelines.Pipeline, _ map[string]string) { p.Stages[0].Path = "" },
	} {
		p, cache := threeStages(t, "")
		options := map[string]string{OptionProvider: ProviderPython}
		change(p, options)
		path := keepPipeline(t, p)
		onPython(t, func() error {
			err := runPipeline(r, path, cache, options, []string{"1", "2", "10", "99", "100", "99"}, "4xf32=70")
			if err == nil || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("%w, want %q", err, want)
			}
			return nil
		})
	}
}

// The modules of a built pipeline go where it goes.
func TestPipelineCompanions(t *testing.T) {
	p, _ := threeStages(t, "")
	path := keepPipeline(t, p)
	list, err := Companions(path)
	if err != nil || len(list) != 3 || list[0] != p.Stages[0].Path {
		t.Errorf("%q, %v", list, err)
	}
	moved := func(file string) string { return filepath.Join("/elsewhere", filepath.Base(file)) }
	if err := Relocate(path, moved); err != nil {
		t.Fatal(err)
	}
	if again, err := pipelines.Read(path); err != nil || again.Stages[2].Path != moved(p.Stages[2].Path) {
		t.Errorf("%+v, %v", again, err)
	}
}
