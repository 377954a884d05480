package iree

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/capi"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// A module that calls functions of another one is loaded behind it, by each provider. Without it, the error asks for
// it.
func TestSeveralModules(t *testing.T) {
	in := compiler(t)
	sources, cache := map[string]string{}, ""
	compiled := func(name, source string) string {
		t.Helper()
		sources[name], cache = keptSource(t, name, source)
		path, err := compile(t.Context(), sources[name], executor.DescribeOptions{Cache: cache}, in)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	library := compiled("lib.mlir", `module @lib {
  func.func @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.addf %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
`)
	caller := compiled("caller.mlir", `module @caller {
  func.func private @lib.twice(tensor<4xf32>) -> tensor<4xf32>
  func.func @run(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @lib.twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
`)
	options := map[string]string{optionModules: sources["lib.mlir"]} // it is compiled
	d, err := in.describe(t.Context(), sources["caller.mlir"], executor.DescribeOptions{Cache: cache, Options: options}, wholeFunctions{})
	if err != nil || d.Artifact.Options[optionModules] != library || options[optionModules] != sources["lib.mlir"] {
		t.Errorf("options %v, %v", d.Artifact.Options, err)
	}
	options[optionModules] = writeSource(t, "bad.mlir", "func.func @f(")
	if _, err := in.describe(t.Context(), caller, executor.DescribeOptions{Cache: cache, Options: options}, wholeFunctions{}); err == nil ||
		!strings.Contains(err.Error(), "module that it calls: ") || !strings.Contains(err.Error(), "bad.mlir: does not compile") {
		t.Errorf("a called module that does not compile: %v", err)
	}
	checkDispatches(t, in, caller, library)
	check := func(p provider) error {
		s, err := p.open(caller, map[string]string{optionModules: library})
		if err != nil {
			return err
		}
		b, err := s.bind("run", []tensor.Tensor{filled(3, 4)})
		if err != nil {
			return err
		}
		if err := b.invoke(); err != nil {
			return err
		}
		if out, err := b.outputs(); err != nil || len(out) != 1 || string(out[0].Data) != string(filled(6, 4).Data) {
			return fmt.Errorf("results %v, %w", out, err)
		}
		b.close()
		if err := s.close(); err != nil {
			return err
		}
		if _, err := p.open(caller, nil); !strings.Contains(remedy.Told(err, nil), "; file module that one (.vmfb or .mlir)") {
			return fmt.Errorf("without the other module: %w", err)
		}
		if _, err := p.open(caller, map[string]string{optionModules: "none.vmfb"}); err == nil || !strings.Contains(err.Error(), "none.vmfb") {
			return fmt.Errorf("a module that is not there: %w", err)
		}
		return nil
	}
	onPython(t, func() error { return check(pythonProvider{in}) })
	if capi.Supported() == nil {
		if err := check(capiProvider{setuptest.CAPI(t)}); err != nil {
			t.Error(err)
		}
	}
}

// checkDispatches measures the dispatch of a module that another one calls alone, and the recorded plan belongs to both.
func checkDispatches(t *testing.T, in Installation, caller, library string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		return
	}
	r := Runtime{in}
	r.Installation.Tools = toolInstallation(t).Tools
	list, err := r.Describe(caller, executor.DescribeOptions{Cache: t.TempDir(), Options: map[string]string{
		OptionProvider: ProviderDispatch, optionModules: library,
	}})
	if err != nil || len(list) != 1 || len(list[0].Functions) != 1 {
		t.Fatal(list, err)
	}
	f := list[0].Functions[0]
	if !strings.HasPrefix(f.Name, "lib.twice_dispatch_0_") {
		t.Errorf("the dispatch is named %s", f.Name)
	}
	inv := invocations.Invocation{Artifact: list[0].Artifact, Function: f.Name, Arguments: f.Arguments}
	inv.Arguments[0].Contents = constant("3")
	for expected, mismatched := range map[string]bool{"4xf32=6": false, "4xf32=7": true} {
		inv.Verify.Expected = []string{expected}
		if mismatch, err := mismatchOf(r, &inv); err != nil || (mismatch != "") != mismatched {
			t.Errorf("expected %s: %s, %v", expected, mismatch, err)
		}
	}
	delete(inv.Artifact.Options, optionModules)
	if _, err := r.Load(inv.Artifact); err == nil || !strings.Contains(err.Error(), "another version of the module") {
		t.Errorf("without the called module: %v", err)
	}
}
